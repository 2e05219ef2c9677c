using CoAP.NET.Dtls.Native;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>Gives an endpoint the scheme <c>coaps</c>.</summary>
public static class CoapDtlsEndpointExtensions
{
    /// <summary>
    /// Has an endpoint listen on <c>coaps</c> addresses and send requests to them (RFC 7252 section 9). A later call replaces an earlier
    /// one. OpenSSL is looked for when the first transport of the scheme starts, or here if its directory is named.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="dtls">Credentials and bounds; copied, so that later changes have no effect.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The options of DTLS do not fit together; the message says what to do.</exception>
    public static CoapEndpointOptions UseDtls(this CoapEndpointOptions options, CoapDtlsOptions dtls)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(dtls);
        OpenSslLibrary.LoadIfNamed();
        dtls.Validate();
        DtlsTransportFactory factory = new(dtls.Clone());
        foreach (ICoapTransportFactory before in options.TransportFactories.Where(before => before.Scheme == factory.Scheme).ToArray())
        {
            options.TransportFactories.Remove(before);
        }

        options.TransportFactories.Add(factory);
        return options;
    }

    /// <summary>
    /// Changes what <see cref="UseDtls"/> was given before: for whoever adds to DTLS that somebody else has set up.
    /// </summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="change">Changes a copy of the options of DTLS, which then takes their place.</param>
    /// <returns>Whether it was called; false when <see cref="UseDtls"/> was not.</returns>
    /// <exception cref="ArgumentException">The options do not fit together any more; nothing has changed then.</exception>
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
