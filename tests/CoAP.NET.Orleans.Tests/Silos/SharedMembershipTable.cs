namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>
/// The membership table of Orleans that silos of this process share, as they share a database: a silo needs no other one for it.
/// </summary>
internal sealed class SharedMembershipTable : IMembershipTable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<SiloAddress, (MembershipEntry Entry, string Tag)> _rows = [];
    private TableVersion _version = new(0, "0");

    public Task InitializeMembershipTable(bool tryInitTableVersion) => Task.CompletedTask;

    public Task DeleteMembershipTableEntries(string clusterId) => throw new NotSupportedException();

    public Task CleanupDefunctSiloEntries(DateTimeOffset beforeDate) => Task.CompletedTask;

    public Task<MembershipTableData> ReadRow(SiloAddress key) => Read(silo => silo.Equals(key));

    public Task<MembershipTableData> ReadAll() => Read(_ => true);

    public Task<bool> InsertRow(MembershipEntry entry, TableVersion tableVersion) => Write(entry, null, tableVersion);

    public Task<bool> UpdateRow(MembershipEntry entry, string etag, TableVersion tableVersion) => Write(entry, etag, tableVersion);

    public Task UpdateIAmAlive(MembershipEntry entry)
    {
        lock (_gate)
        {
            _rows[entry.SiloAddress].Entry.IAmAliveTime = entry.IAmAliveTime;
        }

        return Task.CompletedTask;
    }

    private Task<MembershipTableData> Read(Func<SiloAddress, bool> isMeant)
    {
        lock (_gate)
        {
            return Task.FromResult(new MembershipTableData(
                [.. _rows.Values.Where(row => isMeant(row.Entry.SiloAddress)).Select(row => Tuple.Create(Copy(row.Entry), row.Tag))],
                _version));
        }
    }

    // The version counts all changes, so it is the entity-tag of each row, too.
    private Task<bool> Write(MembershipEntry entry, string? tag, TableVersion version)
    {
        lock (_gate)
        {
            if (version.VersionEtag != _version.VersionEtag
                || (_rows.TryGetValue(entry.SiloAddress, out (MembershipEntry Entry, string Tag) row) ? row.Tag : null) != tag)
            {
                return Task.FromResult(false);
            }

            _version = new TableVersion(version.Version, $"{version.Version}");
            _rows[entry.SiloAddress] = (Copy(entry), _version.VersionEtag);
            return Task.FromResult(true);
        }
    }

    private static MembershipEntry Copy(MembershipEntry entry) => new()
    {
        SiloAddress = entry.SiloAddress,
        SiloName = entry.SiloName,
        HostName = entry.HostName,
        RoleName = entry.RoleName,
        Status = entry.Status,
        ProxyPort = entry.ProxyPort,
        StartTime = entry.StartTime,
        IAmAliveTime = entry.IAmAliveTime,
        SuspectTimes = entry.SuspectTimes is { } votes ? [.. votes] : null,
    };
}
