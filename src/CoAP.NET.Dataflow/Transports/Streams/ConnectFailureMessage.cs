using System.Net.Sockets;
using CoAP.NET.Errors;

namespace CoAP.NET.Transports.Streams;

/// <summary>Describes why a connection could not be opened, and the remedy.</summary>
internal static class ConnectFailureMessage
{
    private const string SilenceAdvice = "The host does not answer: check the address, and that no firewall drops the port.";

    /// <summary>Describes an attempt without an answer so far.</summary>
    public static CoapConnectProgress Silence(in CoapAddress remote, string? serverName = null) =>
        new(CoapConnectPhase.NoAnswer, $"Nothing came from {remote.ToString(serverName)} yet. {SilenceAdvice}");

    /// <summary>Describes a refusal of the operating system.</summary>
    public static CoapConnectionException Of(in CoapAddress remote, SocketException cause) =>
        new(CoapError.ConnectFailed, $"No connection to {remote}: {cause.Message}. {Advice(cause.SocketErrorCode)}", cause);

    public static CoapConnectionException TimedOut(in CoapAddress remote, TimeSpan after) =>
        new(CoapError.ConnectFailed,
            $"No connection to {remote} within {after.TotalSeconds:0.###} s (ConnectTimeout). {Advice(SocketError.TimedOut)}");

    public static CoapConnectionException Refused(in CoapAddress remote, string? serverName = null) =>
        new(CoapError.Refused,
            $"The connection to {remote.ToString(serverName)} is refused: CoapLimits.Connections.MaxCount is reached, or the endpoint "
                + "stops.");

    /// <summary>Describes an attempt that ended because the transport closed.</summary>
    public static CoapConnectionException Stopped(in CoapAddress remote, string? serverName = null) =>
        new(CoapError.ClosedLocally, $"The connection to {remote.ToString(serverName)} ends: the endpoint was stopped.");

    private static string Advice(SocketError error) => error switch
    {
        SocketError.ConnectionRefused or SocketError.ConnectionReset =>
            "No server listens there: check address and port, and that the server runs and speaks CoAP there.",
        SocketError.TimedOut => SilenceAdvice,
        SocketError.NetworkUnreachable or SocketError.HostUnreachable or SocketError.HostDown or SocketError.NetworkDown =>
            "There is no route to the host: check the address and this machine's network.",
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolNotSupported =>
            "This machine does not have that IP version: use an address of the other one.",
        SocketError.AddressNotAvailable =>
            "No local port is free, or LocalAddress does not belong to this machine, or the remote address is invalid: close "
                + "unneeded connections, and check the addresses.",
        SocketError.AccessDenied => "A firewall of this machine, or a missing permission, forbids it.",
        SocketError.TooManyOpenSockets => "The process has too many open files: close connections, or raise the limit.",
        SocketError.InvalidArgument => "The address is not connectable; a link-local address needs its interface, such as fe80::1%eth0.",
        _ => "Check the address and the network.",
    };
}
