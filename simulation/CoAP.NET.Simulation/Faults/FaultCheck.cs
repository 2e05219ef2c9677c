using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Simulation.Faults;

/// <summary>Looks at a server after faults: is anything left as a fault may leave it.</summary>
internal static class FaultCheck
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private static readonly string[] s_paths =
    [
        "/plain", "/later", "/large", "/handler", "/handler/awaiting", "/handler/null", "/handler/queued", "/handler/serial",
        "/handler/scheduler", "/handler/option", "/handler/unwritable",
        "/observed", "/resource", "/filter/before", "/filter2/after", "/limited", "/listed", "/metered", "/stream", "/.well-known/core",
    ];

    /// <summary>Locks of shards that are held, and outboxes that nobody drains.</summary>
    public static IEnumerable<string> Locks(CoapServer server)
    {
        foreach (CoapShardPipeline pipeline in server.Endpoint.Pipelines)
        {
            CoapShard shard = pipeline.Shard;
            if (!shard.Gate.TryEnter(s_patience))
            {
                yield return $"the lock of shard {shard.Index} is held";
                continue;
            }

            int waiting;
            try
            {
                waiting = pipeline.Shard.WaitingOutbound.Values.Sum(items => items.Count);
            }
            finally
            {
                shard.Gate.Exit();
            }

            if (waiting > 0)
            {
                yield return $"{waiting} messages wait in outboxes of shard {shard.Index}";
            }
        }
    }

    /// <summary>Routes that do not answer as they did before.</summary>
    public static async Task<List<string>> RoutesAsync(FaultRig rig)
    {
        List<string> found = [];
        foreach (string scheme in (string[])["coap", "coap+tcp"])
        {
            await using FaultClient client = rig.NewClient(scheme);
            foreach (string path in s_paths)
            {
                string outcome = await client.OutcomeAsync(CoapMethod.Get, path);
                if (outcome != CoapCode.Content.ToString())
                {
                    found.Add($"{scheme} {path} is answered {outcome} when all is over");
                }
            }
        }

        return found;
    }
}
