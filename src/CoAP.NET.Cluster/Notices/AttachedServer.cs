namespace CoAP.NET.Cluster;

/// <summary>A server of this node whose changes are reported to other nodes.</summary>
internal sealed class AttachedServer : ICoapChangeListener, IDisposable
{
    private readonly ClusterNotices _notices;

    public AttachedServer(ClusterNotices notices, CoapServer server, string name)
    {
        _notices = notices;
        Name = name;
        Feed = server.FollowChanges(this);
    }

    /// <summary>Distinguishes the servers of a process; the same on all nodes.</summary>
    public string Name { get; }

    public CoapChangeFeed Feed { get; }

    public void Dispose() => Feed.Dispose();

    void ICoapChangeListener.Changed(string name) => _notices.OnChanged(NoticeNames.Of(Name, name));

    void ICoapChangeListener.ObservedChanged() => _notices.OnObservedChanged();
}
