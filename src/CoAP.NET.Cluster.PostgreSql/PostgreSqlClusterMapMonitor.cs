using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Watches for the newest map: after notifications, and periodically because dead nodes send none.</summary>
internal sealed class PostgreSqlClusterMapMonitor(
    PostgreSqlConnections connections, PostgreSqlClusterMapStore map, PostgreSqlHistory history, CoapClusterMapFeed feed,
    CoapPostgreSqlClusterOptions options)
{
    private static readonly TimeSpan s_firstRetry = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(5);

    /// <summary>Runs until it is canceled, and survives failures of the database.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        TimeSpan retry = s_firstRetry;
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                NpgsqlConnection connection = await connections.OpenOwnAsync(cancellationToken).ConfigureAwait(false);
                await using (connection.ConfigureAwait(false))
                {
                    await PostgreSqlSchema.ExecuteAsync(connection, $"listen {connections.Channel}", cancellationToken)
                        .ConfigureAwait(false);
                    while (true)
                    {
                        (CoapClusterSlotMap read, string noted, string now) =
                            await map.ReadWithHistoryAsync(connection, cancellationToken).ConfigureAwait(false);
                        if (history.IsNoted(noted, now))
                        {
                            feed.Publish(read);
                        }

                        retry = s_firstRetry;
                        await connection.WaitAsync(options.PollInterval, cancellationToken).ConfigureAwait(false);
                    }
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                return;
            }
            catch (Exception exception) when (PostgreSqlFaults.IsFault(exception) || exception is CoapClusterStoreException)
            {
                // Writers get the error; watchers wait for the next map.
            }

            await Task.Delay(retry, options.TimeProvider!, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            retry = TimeSpan.FromTicks(Math.Min(retry.Ticks * 2, s_longestRetry.Ticks));
        }
    }
}
