namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Notes what a node logs from Information on; from Debug on where all is told.</summary>
/// <param name="world">The world.</param>
/// <param name="node">The node.</param>
internal sealed class NodeLogger(ClusterWorld world, SimulatedClusterNode node)
    : BenchLog(ClusterJournal.Echo is null ? LogLevel.Information : LogLevel.Debug)
{
    protected override void Keep(LogLevel level, EventId id, string text, Exception? exception)
    {
        if (!node.Time.IsDead)
        {
            string what = exception is null ? "" : $" {exception}";
            world.Journal.Note($"{node} logs {level} {id.Id}: {text}{what}");
        }
    }
}
