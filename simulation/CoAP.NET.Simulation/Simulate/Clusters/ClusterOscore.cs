using CoAP.NET.Cluster.Maps;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>OSCORE contexts that nodes open at the store, and the numbers that they use: none is used twice.</summary>
/// <param name="world">The world.</param>
internal sealed class ClusterOscore(ClusterWorld world)
{
    // More than the first reservation of a context.
    private const int NumbersOfUse = 40;
    private static readonly TimeSpan s_within = TimeSpan.FromMinutes(2);

    private readonly HashSet<(int Context, ulong Number)> _used = [];

    /// <summary>Each node that believes it owns the slot of a context uses numbers.</summary>
    /// <param name="index">The context.</param>
    /// <param name="closes">Whether it closes the context afterwards.</param>
    public void Use(int index, bool closes)
    {
        CoapSlot slot = CoapSlot.OfName(OscoreStoreKey.Of(ParametersOf(index)).Bytes.Span);
        foreach (SimulatedClusterNode node in world.Processes.Where(one => one is { IsLeaving: false, Time.IsStill: false }))
        {
            if (node.Cluster.FenceOf(slot).IsSet)
            {
                _ = world.Requests.Add($"{node} uses OSCORE context {index}", s_within, () => UseAsync(node, index, closes), node);
            }
        }
    }

    private static OscoreParameters ParametersOf(int index) =>
        new("a secret of the simulation"u8, [1, (byte)index], [2, (byte)index]);

    private async Task<bool> UseAsync(SimulatedClusterNode node, int index, bool closes)
    {
        if (!node.Contexts.TryGetValue(index, out OscoreContext? context) || context.Availability == OscoreContextLocation.Closed)
        {
            context = await OscoreContext.OpenAsync(
                ParametersOf(index), node.Cluster.OscoreStore, node.Scheduler, node.Time, new VirtualRandom(world.Plan.Seed));
            node.Contexts[index] = context;
        }

        try
        {
            for (int i = 0; i < NumbersOfUse; i++)
            {
                ulong number = await context.Sequence.TakeAsync(CancellationToken.None);
                // Known limit: a second loss may go back to before the jump of the first one, and the next jump is the same.
                if (!_used.Add((index, number)) && world.Losses < 2)
                {
                    world.Journal.Violate(
                        ClusterCheck.OscoreNumbers, $"{node} uses number {number} of OSCORE context {index} a second time");
                }
            }
        }
        catch (OscoreStoreException exception) when (exception.Fault == OscoreStoreFault.Superseded)
        {
            node.Contexts.Remove(index);
            throw;
        }

        if (closes && node.Contexts.Remove(index))
        {
            await context.DisposeAsync();
        }

        return true;
    }
}
