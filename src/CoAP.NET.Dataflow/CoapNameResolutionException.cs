using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>The host name of a URI has no address, or the resolver did not find one. Nothing was sent. A resolver that only takes too long
/// is a <see cref="CoapTimeoutException"/>.</summary>
public sealed class CoapNameResolutionException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="hostName">The name.</param>
    /// <param name="error">What the resolver said.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapNameResolutionException(string hostName, SocketError error, Exception? innerException = null)
        : base($"The host name '{hostName}' could not be resolved{(innerException is null ? "" : $": {innerException.Message}")}. "
            + $"{Advice(error)}", innerException)
    {
        HostName = hostName;
        Error = error;
    }

    /// <summary>The name that could not be resolved.</summary>
    public string HostName { get; }

    /// <summary>
    /// What the resolver said: <see cref="SocketError.HostNotFound"/> for a name that does not exist, <see cref="SocketError.NoData"/> for
    /// one without an address, <see cref="SocketError.TryAgain"/> when it did not
    /// answer, so that asking again may help.
    /// </summary>
    public SocketError Error { get; }

    private static string Advice(SocketError error) => error switch
    {
        SocketError.TryAgain => "The resolver did not answer: check this machine's network, and try again.",
        SocketError.NoData => "The name has no address: check it, or give an address.",
        _ => "Check the name for a typing error, or give an address.",
    };
}
