using System.Globalization;
using CoAP.NET.Dtls;

namespace CoAP.NET.Load.Observing;

/// <summary>The short names of the failures that a run counts.</summary>
internal static class FailureNames
{
    // Cached, because a server may respond with an error to every request of a run.
    private static readonly string[] s_codes = [
        .. Enumerable.Range(0, 256).Select(static code => string.Create(CultureInfo.InvariantCulture, $"{code >> 5}.{code & 31:00}"))];

    public const string OutOfOrder = "out of order";

    public const string WrongPayload = "wrong payload";

    /// <summary>Returns the name of a failure: the code of a response such as "4.04", or a few words.</summary>
    public static string Of(Exception exception) => exception switch
    {
        CoapResponseException { Response: { } response } => Of(response.Code),
        CoapTimeoutException => "no answer",
        CoapException { Error: CoapError.Unreachable } => "nothing listens at the port",
        CoapException { Error: CoapError.NameResolution } => "host name without address",
        CoapException { Error: CoapError.SendFailed } => "not sent by the system",
        CoapException { Error: CoapError.Reset } => "rejected by a Reset",
        CoapProtocolException => "invalid answer",
        CoapException { Error: CoapError.RetryLater } => "pause demanded by 4.29",
        CoapException { Error: CoapError.Busy } => "too many waiting requests",
        CoapException { Error: CoapError.TooLarge } => "too large for the peer",
        CoapDtlsException { Reason: not CoapDtlsHandshakeFailure.NotAvailable }
            or CoapConnectionException { Error: CoapError.HandshakeFailed } => "failed handshake",
        CoapConnectionException { Error: CoapError.ConnectFailed or CoapError.Refused } => "no connection",
        CoapConnectionException => "lost connection",
        _ => "other failure",
    };

    /// <summary>Returns the name of a response code, such as "5.03".</summary>
    public static string Of(CoapCode code) => s_codes[code.Value];
}
