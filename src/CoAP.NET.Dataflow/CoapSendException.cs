using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>The operating system refused to send the message, for a reason that copies of it would meet as well. The message says which and what to do. Nothing was sent.</summary>
public sealed class CoapSendException : CoapException
{
    internal CoapSendException(string target, SocketError error)
        : base($"The message to {target} cannot be sent: {new SocketException((int)error).Message}. {Advice(error)}") => SocketError = error;

    /// <summary>What the operating system said.</summary>
    public SocketError SocketError { get; }

    /// <summary>
    /// Whether an error says that sending again is no use. A host or network that cannot be reached, a full buffer and the like pass: copies are sent as usual
    /// (RFC 7252 section 4.2).
    /// </summary>
    internal static bool IsLasting(SocketError error) => error is SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported
        or SocketError.MessageSize or SocketError.AccessDenied or SocketError.InvalidArgument;

    private static string Advice(SocketError error) => error switch
    {
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported =>
            "The endpoint has no socket of that IP version: listen on an address of it as well, or on coap://[::] for both, or give the peer's address of the other version.",
        SocketError.MessageSize => "It is larger than a datagram to that address may be: send less, or lower MaxMessageSize for this peer.",
        SocketError.AccessDenied => "The system forbids it: a firewall rule, a missing permission of the process, or a broadcast address, which CoAP has no use for. Use a group instead.",
        _ => "The address cannot be sent to from the address or interface that was chosen: check both, and the scope of an IPv6 address such as fe80::1%eth0.",
    };
}
