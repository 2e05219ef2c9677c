namespace CoAP.NET.Transports;

/// <summary>
/// The mark of a thread that tells of the end of a connection. The engine does not end before that is done, but for user code in it: that may wait for the end of the engine itself.
/// </summary>
internal sealed class EndingRole : IReceiveRole
{
    private readonly AsyncTcpEngine _engine;
    private readonly IReceiveRole? _outer;
    private bool _hasLeft;

    private EndingRole(AsyncTcpEngine engine, IReceiveRole? outer)
    {
        _engine = engine;
        _outer = outer;
    }

    /// <summary>Tells of the end of a connection, and counts it out of its engine.</summary>
    public static void Tell(AsyncTcpEngine engine, AsyncConnection connection, Exception? reason)
    {
        EndingRole role = new(engine, UserCode.Role);
        UserCode.Role = role;
        try
        {
            engine.Context.Closed(connection, reason);
        }
        finally
        {
            UserCode.Role = role._outer;
            role.Leave();
        }
    }

    public bool EnterUserCode()
    {
        Leave();
        return _outer?.EnterUserCode() ?? false;
    }

    public UserCodeEnd ExitUserCode() => _outer?.ExitUserCode() ?? UserCodeEnd.Late;

    private void Leave()
    {
        if (!_hasLeft)
        {
            _hasLeft = true;
            _engine.Leave();
        }
    }
}
