using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// The servers of this node whose changes are reported to other nodes, and their observed resources. The caller locks for
/// <see cref="TakeNews"/> and <see cref="Observed"/>; the other members are thread-safe.
/// </summary>
internal sealed class AttachedServers(ILogger logger)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, int> _observed = new(StringComparer.Ordinal);

    // Replaced as a whole; read without a lock.
    private AttachedServer[] _servers = [];

    /// <summary>The number of servers.</summary>
    public int Count => Volatile.Read(ref _servers).Length;

    /// <summary>The names of all observed resources.</summary>
    public IReadOnlyCollection<string> Observed => _observed.Keys;

    public void Add(AttachedServer server)
    {
        lock (_gate)
        {
            Volatile.Write(ref _servers, [.. _servers, server]);
        }
    }

    public void Remove(AttachedServer server)
    {
        lock (_gate)
        {
            Volatile.Write(ref _servers, [.. _servers.Where(other => other != server)]);
        }
    }

    /// <summary>Marks changes elsewhere as known; see <see cref="CoapChangeFeed.Begin"/>.</summary>
    public void Begin()
    {
        foreach (AttachedServer server in Volatile.Read(ref _servers))
        {
            server.Feed.Begin();
        }
    }

    /// <summary>Takes the started and ended observations.</summary>
    public List<(string Name, bool IsObserved)> TakeNews()
    {
        List<(string, bool)> news = [];
        foreach (AttachedServer server in Volatile.Read(ref _servers))
        {
            while (server.Feed.TryTake(out string? name, out bool isObserved))
            {
                string full = NoticeNames.Of(server.Name, name);
                int before = _observed.GetValueOrDefault(full);
                int now = before + (isObserved ? 1 : -1);
                if (now > 0)
                {
                    _observed[full] = now;
                }
                else
                {
                    _observed.Remove(full);
                }

                if (now > 0 != before > 0)
                {
                    news.Add((full, now > 0));
                }
            }
        }

        return news;
    }

    /// <summary>Notifies the local observers of a change elsewhere.</summary>
    public void Apply(string full)
    {
        if (!NoticeNames.TrySplit(full, out string serverName, out string name))
        {
            return;
        }

        foreach (AttachedServer server in Volatile.Read(ref _servers))
        {
            if (server.Name == serverName)
            {
                try
                {
                    server.Feed.Apply(name);
                }
                catch (FormatException exception)
                {
                    NoticeLog.NameUnreadable(logger, exception);
                }
            }
        }
    }

    /// <summary>Ends the reports for all servers.</summary>
    public void Clear()
    {
        lock (_gate)
        {
            foreach (AttachedServer server in _servers)
            {
                server.Dispose();
            }

            Volatile.Write(ref _servers, []);
        }
    }
}
