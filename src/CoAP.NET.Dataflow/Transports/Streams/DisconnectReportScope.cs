namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The role of a thread that reports the end of a connection. A transport waits for these reports before it ends, but not for user code in
/// them, which may itself wait for the end of the transport.
/// </summary>
internal sealed class DisconnectReportScope : IUserCodeTracker
{
    private readonly AsyncIOConnections _host;
    private readonly IUserCodeTracker? _outer;
    private bool _hasLeft;

    private DisconnectReportScope(AsyncIOConnections host, IUserCodeTracker? outer)
    {
        _host = host;
        _outer = outer;
    }

    /// <summary>Reports the end of a connection, and removes it from the count of its host.</summary>
    public static void Report(AsyncIOConnections host, AsyncIOConnection connection, Exception? reason)
    {
        DisconnectReportScope role = new(host, UserCodeScope.Role);
        UserCodeScope.Role = role;
        try
        {
            host.Context.Closed(connection, reason);
        }
        finally
        {
            UserCodeScope.Role = role._outer;
            role.Leave();
        }
    }

    public void EnterUserCode()
    {
        Leave();
        _outer?.EnterUserCode();
    }

    public bool ExitUserCode() => _outer?.ExitUserCode() ?? true;

    private void Leave()
    {
        if (!_hasLeft)
        {
            _hasLeft = true;
            _host.Leave();
        }
    }
}
