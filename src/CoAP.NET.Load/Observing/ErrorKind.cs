using System.Globalization;
using CoAP.NET.Dtls;

namespace CoAP.NET.Load;

/// <summary>The short names of counted failures.</summary>
internal static class ErrorKind
{
    // Cached: a server that answers only errors does so as fast as any.
    private static readonly string[] s_codes = [
        .. Enumerable.Range(0, 256).Select(static code => string.Create(CultureInfo.InvariantCulture, $"{code >> 5}.{code & 31:00}"))];

    public const string OutOfOrder = "out of order";

    public const string WrongPayload = "wrong payload";

    /// <summary>Returns the kind of a failure: a response's code such as "4.04", or what happened, in a few words.</summary>
    public static string Of(Exception exception) => exception switch
    {
        CoapResponseException { Response: { } response } => Of(response.Code),
        CoapTimeoutException => "no answer",
        CoapUnreachableException => "nothing listens at the port",
        CoapNameResolutionException => "host name without address",
        CoapSendException => "not sent by the system",
        CoapResetException => "rejected by a Reset",
        CoapProtocolException => "invalid answer",
        CoapRetryLaterException => "pause demanded by 4.29",
        CoapBusyException => "too many waiting requests",
        CoapTooLargeException => "too large for the peer",
        CoapDtlsHandshakeException or CoapConnectionException { Error: CoapConnectionError.HandshakeFailed } => "failed handshake",
        CoapConnectionException { Error: CoapConnectionError.ConnectFailed or CoapConnectionError.Refused } => "no connection",
        CoapConnectionException => "lost connection",
        _ => "other failure",
    };

    /// <summary>Returns the kind of a code: "5.03".</summary>
    public static string Of(CoapCode code) => s_codes[code.Value];
}
