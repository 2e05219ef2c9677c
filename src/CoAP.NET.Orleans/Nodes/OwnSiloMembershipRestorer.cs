using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>
/// Writes this silo into the membership table of Orleans again after the store has lost confirmed changes: the table is usually in the same
/// database, and lost changes, too.
/// </summary>
/// <remarks>
/// Silos cannot declare one dead that is not in the table, and ignore a table whose version is below the one that they know. Slots of a
/// silo that fails would then have no owner any more.
/// </remarks>
internal sealed class OwnSiloMembershipRestorer(IServiceProvider services, ILogger logger) : BackgroundService
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    // All silos notice the loss by then, and are in the table again. Who reads a table without a silo takes it for dead.
    private static readonly TimeSpan s_settles = TimeSpan.FromSeconds(5);

    private readonly WakeSignal _wake = new();
    private CoapFencingToken _seen;

    /// <inheritdoc/>
    public override Task StartAsync(CancellationToken cancellationToken)
    {
        _seen = services.GetRequiredService<CoapCluster>().Map.StaleFence;
        return base.StartAsync(cancellationToken);
    }

    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        TimeProvider time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        CoapCluster cluster = services.GetRequiredService<CoapCluster>();
        RateLimitedLog notWritten = new(time);
        cluster.MapChanged += OnMapChanged;
        try
        {
            while (!stoppingToken.IsCancellationRequested)
            {
                Task woken = _wake.Next;
                CoapFencingToken stale = cluster.Map.StaleFence;
                if (stale != _seen)
                {
                    try
                    {
                        await WriteAsync(time, stoppingToken).ConfigureAwait(false);
                        _seen = stale;
                        continue;
                    }
#pragma warning disable CA1031 // whatever the reason: it is tried again
                    catch (Exception exception) when (!stoppingToken.IsCancellationRequested)
#pragma warning restore CA1031
                    {
                        if (notWritten.IsDue())
                        {
                            SiloLog.NotWritten(logger, cluster.Self.Id, exception);
                        }
                    }
                }

                await woken.WaitAsync(stale == _seen ? Timeout.InfiniteTimeSpan : s_retry, time, stoppingToken)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            cluster.MapChanged -= OnMapChanged;
        }
    }

    private void OnMapChanged(object? sender, EventArgs arguments) => _wake.Wake();

    private async Task WriteAsync(TimeProvider time, CancellationToken cancellationToken)
    {
        long known = services.GetRequiredService<IClusterMembershipService>().CurrentSnapshot.Version.Value;
        await WriteAsync(time, long.MinValue, cancellationToken).ConfigureAwait(false);
        await Task.Delay(s_settles, time, cancellationToken).ConfigureAwait(false);
        await WriteAsync(time, known, cancellationToken).ConfigureAwait(false);
    }

    // Until the table has this silo as it is, and a version above another one.
    private async Task WriteAsync(TimeProvider time, long above, CancellationToken cancellationToken)
    {
        IMembershipTable table = services.GetRequiredService<IMembershipTable>();
        ILocalSiloDetails self = services.GetRequiredService<ILocalSiloDetails>();
        ISiloStatusOracle oracle = services.GetRequiredService<ISiloStatusOracle>();
        while (oracle.CurrentStatus == SiloStatus.Active)
        {
            MembershipTableData data = await table.ReadAllAsync(cancellationToken).ConfigureAwait(false);
            Tuple<MembershipEntry, string>? row = data.TryGet(self.SiloAddress);
            if (row is { Item1.Status: SiloStatus.Dead }
                || (row is { Item1.Status: SiloStatus.Active } && data.Version.Version > above))
            {
                // Orleans ends a silo that others declared dead.
                return;
            }

            DateTime now = time.GetUtcNow().UtcDateTime;
            MembershipEntry entry = row?.Item1 ?? new MembershipEntry
            {
                SiloAddress = self.SiloAddress,
                SiloName = self.Name,
                HostName = self.DnsHostName,
                ProxyPort = self.GatewayAddress?.Endpoint.Port ?? 0,
                StartTime = now,
            };
            entry.Status = SiloStatus.Active;
            entry.IAmAliveTime = now;

            // Another silo may be faster. The next round sees that.
            TableVersion next = data.Version.Next();
            _ = row is null
                ? await table.InsertRowAsync(entry, next, cancellationToken).ConfigureAwait(false)
                : await table.UpdateRowAsync(entry, row.Item2, next, cancellationToken).ConfigureAwait(false);
        }
    }
}
