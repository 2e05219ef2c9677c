using System.Net;
using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>Thrown when an address cannot be bound, so the endpoint does not listen.</summary>
/// <remarks>The message names the address, the cause and the remedy.</remarks>
public sealed class CoapBindException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="message">The error and the remedy.</param>
    /// <param name="innerException">The cause; null for none.</param>
    public CoapBindException(string message, Exception? innerException = null)
        : base(CoapError.BindFailed, message, innerException)
    {
    }

    internal CoapBindException(string protocol, IPEndPoint endpoint, SocketException cause)
        : base(CoapError.BindFailed, $"Cannot bind {protocol} {endpoint}: {cause.Message}. {Advice(cause.SocketErrorCode)}", cause)
    {
        Endpoint = endpoint;
        SocketError = cause.SocketErrorCode;
    }

    /// <summary>The address that could not be bound; null when unknown.</summary>
    public IPEndPoint? Endpoint { get; }

    /// <summary>The error of the operating system.</summary>
    public SocketError SocketError { get; } = SocketError.SocketError;

    private static string Advice(SocketError error) => error switch
    {
        SocketError.AddressAlreadyInUse =>
            "Another endpoint or process holds the port: stop it, or listen on another port; port 0 takes any free one. Programs that "
                + "listen to groups may share a UDP port (SharePort) if all of them do.",
        SocketError.AddressNotAvailable => "No interface of this machine has the address: use one that it has, or the wildcard.",
        SocketError.AccessDenied => "The port is reserved: use a port above 1023, or run with the permission to bind low ports.",
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolNotSupported =>
            "This machine does not support that IP version: bind an address of the other version.",
        SocketError.TooManyOpenSockets => "The process has too many open files: close endpoints, or raise the limit.",
        _ => "Check the address and the permissions of the process.",
    };
}
