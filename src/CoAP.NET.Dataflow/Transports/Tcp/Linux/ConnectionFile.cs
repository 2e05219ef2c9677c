namespace CoAP.NET.Transports;

/// <summary>The loop's side of a connection. Everything in it belongs to the thread that holds the role of the loop.</summary>
internal sealed class ConnectionFile(LinuxTcpConnection connection) : LoopFile(connection.Engine.LoopOwner)
{
    public LinuxTcpConnection Connection { get; } = connection;

    /// <summary>What the endpoint gave the transport.</summary>
    public ICoapStreamContext Context => Connection.Engine.Context;

    /// <summary>What is there of frames that did not come whole, or that are held back; null when there is nothing.</summary>
    public FrameBuffer? Partial { get; set; }

    /// <summary>How much of the endpoint's memory for unfinished frames was asked for.</summary>
    public int Charged { get; set; }

    /// <summary>The length of the frame that comes next, when only a part of it is there; 0 when that is not known.</summary>
    public long Needed { get; set; }

    /// <summary>Whether the mesh is being told of it, by the thread that will go on with it.</summary>
    public bool IsOpening
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the mesh took it.</summary>
    public bool IsOpen
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the kernel told that the peer has ended its side, behind what is still to be read.</summary>
    public bool IsEndNear { get; set; }

    /// <summary>Whether the peer has ended its side, and everything before that was read.</summary>
    public bool HasEnded { get; set; }

    /// <summary>Whether what comes in is thrown away, as the beginning of a frame broke a rule.</summary>
    public bool IsDiscarding { get; set; }

    /// <summary>Ends it although the peer does not end its side after our last frame.</summary>
    public ITimer? Linger { get; set; }

    /// <summary>What connected it, to be told whether the mesh took it; null for a connection of a listener.</summary>
    public ConnectingFile? Opener { get; set; }

    public override bool Serve(EpollLoop loop, ReceiveRole role) => loop.Tcp.Serve(role, this);

    public override bool Attend(EpollLoop loop, ReceiveRole role) => loop.Tcp.Attend(role, this);

    public override void Detach(EpollLoop loop) => Connection.Close(ConnectFailure.Stopped(Connection.Remote));
}
