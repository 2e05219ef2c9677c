using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>The loop's side of a connection. Use its state only on the thread that runs the loop.</summary>
internal sealed class EpollWatchedConnection(LinuxTcpConnection connection) : EpollWatchedDescriptor(connection.Engine.LoopTransport)
{
    public LinuxTcpConnection Connection { get; } = connection;

    public ICoapStreamTransportContext Context => Connection.Engine.Context;

    /// <summary>The bytes of partial or held-back frames; null for none.</summary>
    public FrameBuffer? Rest { get; set; }

    /// <summary>The charge of <see cref="Rest"/> to the endpoint's memory for partial frames.</summary>
    public ConnectionReaderMemoryCharge Charge => field ??= new ConnectionReaderMemoryCharge(Context, Connection);

    /// <summary>Whether the thread that will continue with the connection is reporting it to the mesh.</summary>
    public bool IsOpening
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the mesh accepted it.</summary>
    public bool IsOpen
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the kernel reported the end of the peer's side, after the remaining input.</summary>
    public bool IsEndNear { get; set; }

    /// <summary>Whether the peer has ended its side, and everything before that was read.</summary>
    public bool HasEnded { get; set; }

    /// <summary>Whether input is discarded, because the beginning of a frame violated a rule.</summary>
    public bool IsDiscarding { get; set; }

    /// <summary>Ends the connection if the peer does not end its side after the last frame.</summary>
    public ITimer? Linger { get; set; }

    /// <summary>The attempt that opened it, which gets the decision of the mesh; null for a connection of a listener.</summary>
    public ConnectingDescriptor? Opener { get; set; }

    public override bool Serve(EpollLoop loop, ReceiveLoopOwnership role) => loop.Tcp.Serve(role, this);

    public override bool Attend(EpollLoop loop, ReceiveLoopOwnership role) => loop.Tcp.Attend(role, this);

    public override void Detach(EpollLoop loop) => Connection.Close(ConnectFailureMessage.Stopped(Connection.Remote));
}
