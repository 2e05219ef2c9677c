using System.Net;
using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>An address could not be bound, so that the endpoint does not listen. The message says which, why and what to do.</summary>
public sealed class CoapBindException : CoapException
{
    /// <summary>Makes an exception.</summary>
    public CoapBindException()
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    public CoapBindException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapBindException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal CoapBindException(string protocol, IPEndPoint endpoint, SocketException cause)
        : base($"Cannot bind {protocol} {endpoint}: {cause.Message}. {Advice(cause.SocketErrorCode)}", cause)
    {
        Endpoint = endpoint;
        SocketError = cause.SocketErrorCode;
    }

    /// <summary>The address that could not be bound; null when not known.</summary>
    public IPEndPoint? Endpoint { get; }

    /// <summary>What the operating system said.</summary>
    public SocketError SocketError { get; } = SocketError.SocketError;

    private static string Advice(SocketError error) => error switch
    {
        SocketError.AddressAlreadyInUse =>
            "Another endpoint or process holds the port: stop it, or listen on another port; port 0 takes any free one. Programs that "
                + "listen to groups may share a UDP port (SharePort) if all of them do.",
        SocketError.AddressNotAvailable => "No interface of this machine has the address: use one that it has, or the wildcard.",
        SocketError.AccessDenied => "The port is reserved: use one above 1023, or run with the permission to bind low ports.",
        SocketError.AddressFamilyNotSupported or SocketError.ProtocolNotSupported =>
            "This machine does not have that IP version: bind an address of the other one.",
        SocketError.TooManyOpenSockets => "The process has too many open files: close endpoints, or raise the limit.",
        _ => "Check the address and the permissions of the process.",
    };
}
