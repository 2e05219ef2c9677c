using CoAP.NET.Composition;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>Adds the scheme <c>coaps</c> to an endpoint.</summary>
public static class CoapDtlsEndpointExtensions
{
    /// <summary>Lets an endpoint listen on <c>coaps</c> addresses and send requests to them (RFC 7252 section 9).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="dtls">Credentials and limits. The endpoint copies them, so later changes have no effect.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The DTLS options contradict each other; the message names what to change.</exception>
    /// <remarks>
    /// A later call replaces an earlier one. The library looks for OpenSSL when the first transport of the scheme starts, or during this
    /// call if its directory is set.
    /// </remarks>
    public static CoapEndpointOptions UseDtls(this CoapEndpointOptions options, CoapDtlsOptions dtls)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(dtls);
        DtlsTransportFactory factory = DtlsTransportFactory.Make(dtls);
        foreach (ICoapTransportFactory before in options.TransportFactories.Where(before => before.Scheme == factory.Scheme).ToArray())
        {
            options.TransportFactories.Remove(before);
        }

        options.TransportFactories.Add(factory);
        return options;
    }

    /// <summary>Changes the options that an earlier <see cref="UseDtls"/> received, for code that adds to DTLS set up elsewhere.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="change">Changes a copy of the DTLS options, which then replaces them.</param>
    /// <returns>True if it called <paramref name="change"/>; false without an earlier <see cref="UseDtls"/>.</returns>
    /// <exception cref="ArgumentException">The changed options contradict each other; the endpoint keeps the old ones.</exception>
    public static bool TryChangeDtls(this CoapEndpointOptions options, Action<CoapDtlsOptions> change)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(change);
        if (options.TransportFactories.OfType<DtlsTransportFactory>().FirstOrDefault() is not { } factory)
        {
            return false;
        }

        CoapDtlsOptions dtls = factory.Options.Clone();
        change(dtls);
        options.UseDtls(dtls);
        return true;
    }
}

/// <summary>Creates the <c>coaps</c> transports of an endpoint.</summary>
internal sealed class DtlsTransportFactory(CoapDtlsOptions options) : ICoapTransportFactory
{
    public CoapDtlsOptions Options => options;

    /// <summary>Creates a factory with a copy of options.</summary>
    /// <param name="dtls">The options.</param>
    /// <exception cref="ArgumentException">The options contradict each other; the message names what to change.</exception>
    public static DtlsTransportFactory Make(CoapDtlsOptions dtls)
    {
        OpenSslLibrary.LoadIfNamed();
        dtls.Validate();
        DtlsTransportFactory factory = new(dtls.Clone());
        dtls.OnUsed();
        return factory;
    }

    public string Scheme => "coaps";

    public int DefaultPort => 5684;

    public void ThrowIfCannotListen()
    {
        if (options.Server is null)
        {
            throw new ArgumentException(MissingTransport.KeysToListen);
        }
    }

    public CoapTransport Create(CoapUdpTransportOptions sockets) => new CoapDtlsTransport(options, sockets);
}
