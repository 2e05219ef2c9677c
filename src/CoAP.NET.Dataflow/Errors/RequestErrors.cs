using System.Net.Sockets;

namespace CoAP.NET.Errors;

/// <summary>Creates the exceptions that several places throw.</summary>
internal static class RequestErrors
{
    public static CoapException Busy(string target, int queued) => new(
        CoapError.Busy,
        $"Too many requests are outstanding: {queued} to {target} are already queued, or as many to all peers as MaxOutstandingMessages "
            + "allows. Send fewer requests at a time, or raise NStart or MaxQueuedRequests for this peer, or that limit.");

    public static CoapException TokenInUse(CoapToken token, string peer) => new(
        CoapError.TokenInUse,
        $"Another request to {peer} already uses the token {token}, so its response could not be told from notifications. "
            + "Observe the resource again; the registration of the token ends with its next notification.");

    public static CoapException NotCached() => new(
        CoapError.NotCached,
        "No fresh response to the request is in the cache, and it was to be answered from there only. Send it with another CacheMode.");

    public static CoapException RetryLater(string target, TimeSpan retryAfter) => new(
        CoapError.RetryLater,
        $"{target} answered 4.29 Too Many Requests; a request to the same resource may be sent in "
            + $"{Math.Ceiling(retryAfter.TotalSeconds)} s. Wait for RetryAfter, or set TooManyRequests to Wait.")
    {
        RetryAfter = retryAfter,
    };

    public static CoapProtocolException Reset(string target) => new(
        CoapError.Reset,
        $"{target} rejected the request with a Reset. It does not understand the message, or does not serve CoAP requests there.");

    public static CoapConnectionException Unreachable(string target) => new(
        CoapError.Unreachable,
        $"Nothing listens at {target}: its host reported the port unreachable. Check address and port, and whether the server runs.");

    public static CoapConnectionException Disappeared(string target, bool isOutcomeUnknown, Exception innerException) => new(
        CoapError.Unreachable,
        $"{target} disappeared during a transfer: its host reported the port unreachable. A part of the body was transferred; start again "
            + "when the server runs.",
        innerException)
    {
        HasBegun = true,
        IsOutcomeUnknown = isOutcomeUnknown,
    };

    public static CoapConnectionException NameResolution(string hostName, SocketError error, Exception? innerException = null) => new(
        CoapError.NameResolution,
        $"The host name '{hostName}' could not be resolved{(innerException is null ? "" : $": {innerException.Message}")}. "
            + (error switch
            {
                SocketError.TryAgain => "The resolver did not answer: check this machine's network, and try again.",
                SocketError.NoData => "The name has no address: check it, or use an address.",
                _ => "Check the spelling of the name, or use an address.",
            }),
        innerException)
    {
        SocketError = error,
    };

    public static CoapConnectionException SendFailed(string target, SocketError error) => new(
        CoapError.SendFailed,
        $"The message to {target} cannot be sent: {new SocketException((int)error).Message}. "
            + (error switch
            {
                SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
                    "The endpoint has no socket of that IP version: listen on an address of it as well, or on coap://[::] for both, or give "
                        + "the peer's address of the other version.",
                SocketError.MessageSize =>
                    "It exceeds the maximum datagram size to that address: send less, or lower MaxMessageSize for this peer.",
                SocketError.AccessDenied =>
                    "The system forbids it: a firewall rule, a missing permission of the process, or a broadcast address, which CoAP does "
                        + "not use. Check the first two, or send to a group.",
                _ => "The local address or interface cannot reach the address; loopback reaches this machine only. Check both, and the "
                    + "scope of an IPv6 address such as fe80::1%eth0.",
            }))
    {
        SocketError = error,
    };

    /// <summary>
    /// Whether an error makes another attempt useless. Unreachable hosts and networks, full buffers and similar errors are temporary:
    /// retransmission continues as usual (RFC 7252 section 4.2).
    /// </summary>
    public static bool IsLasting(SocketError error) =>
        error is SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
            or SocketError.MessageSize or SocketError.AccessDenied or SocketError.InvalidArgument;
}
