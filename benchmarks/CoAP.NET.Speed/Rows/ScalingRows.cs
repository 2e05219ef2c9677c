using System.Diagnostics;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

/// <summary>The rows of a server with more and more shards, a processor for each, against a load on several processors.</summary>
/// <param name="servers">The servers.</param>
/// <param name="plan">How many shards, and which processors.</param>
internal sealed class ScalingRows(CoapServers servers, ScalingPlan plan)
{
    // Enough for each shard to have work all the time, however the system spreads peers over the sockets.
    private const int PeersOfShard = 128;
    private const int ConnectionsOfShard = 32;

    // What threads of the library are called: the loop of each shard is one of them, that of most work.
    private const string ThreadName = "CoAP.NET";
    private const double SecondsToTell = 0.2;

    private static readonly byte[] s_hello = Encoding.ASCII.GetBytes(RowList.HelloText);

    /// <summary>The row over UDP.</summary>
    /// <param name="few">How many endpoints a small server has; more where there are many shards.</param>
    /// <param name="hasOwnSockets">Whether each has a socket of its own.</param>
    public Row OverUdp(int few, bool hasOwnSockets)
    {
        int peers = OfEachLoop(few, PeersOfShard);
        return Make("shards", "UDP, {0} endpoints", peers, child =>
        {
            DatagramLoop loop = new(child.Endpoints[0], peers, RowList.Hello, s_hello, hasOwnSockets: hasOwnSockets);
            return (seconds => loop.Run(seconds, () => child.Cpu), loop);
        });
    }

    /// <summary>The row over TCP.</summary>
    /// <param name="few">How many connections a small server has; more where there are many shards.</param>
    public Row OverTcp(int few)
    {
        int connections = OfEachLoop(few, ConnectionsOfShard);
        return Make("shards-tcp", "TCP, {0} connections", connections, child =>
        {
            StreamLoop loop = new(child.Endpoints[1], new CoapStreamProtocol(RowList.Hello, RowList.HelloText), connections);
            return (seconds => loop.Run(seconds, () => child.Cpu), loop);
        });
    }

    private int OfEachLoop(int few, int ofShard)
    {
        int all = few < ofShard ? few : Math.Max(few, ofShard * plan.Shards.Max());
        return (all + plan.Load.Length - 1) / plan.Load.Length;
    }

    private Row Make(string name, string title, int ofEachLoop, Func<Child, (Func<double, RunResult> Run, IDisposable Loop)> open) =>
        new(name, string.Format(title, (ofEachLoop * plan.Load.Length).ToString("N0")), RowGroup.Scaling,
            [.. plan.Shards.Select(shards => new Entrant(Role.Beside, NameOf(shards), () => Open(shards, open), plan.NoteOf(shards)))]);

    private string NameOf(int shards) =>
        $"{shards} {(shards == 1 ? "shard" : "shards")} on {ScalingPlan.Text(plan.ServerOf(shards))}"
            + $"{(plan.IsPinning ? ", one each" : "")}; load on {ScalingPlan.Text(plan.Load)}";

    private Contender Open(int shards, Func<Child, (Func<double, RunResult> Run, IDisposable Loop)> open)
    {
        Stack<IDisposable> owned = new();
        try
        {
            Child child = servers.StartSharded(shards, plan.ServerOf(shards));
            owned.Push(child);
            List<Func<double, RunResult>> runs = [];
            foreach (int _ in plan.Load)
            {
                (Func<double, RunResult> run, IDisposable loop) = open(child);
                owned.Push(loop);
                runs.Add(run);
            }

            ParallelLoad load = new(plan.Load, [.. runs]);
            owned.Push(load);
            if (plan.IsPinning)
            {
                load.Run(SecondsToTell);
                PinShards(child.Id, plan.ServerOf(shards), shards);
            }

            return new Contender(load.Run, [.. owned]);
        }
        catch
        {
            foreach (IDisposable one in owned)
            {
                one.Dispose();
            }

            throw;
        }
    }

    // Only which threads work tells the loops from threads that stand by.
    private static void PinShards(int process, int[] processors, int shards)
    {
        using Process server = Process.GetProcessById(process);
        int[] loops =
        [
            .. server.Threads.Cast<ProcessThread>().Select(thread => thread.Id)
                .Where(id => File.ReadAllText(FolderOf(id) + "/comm").Trim() == ThreadName)
                .OrderByDescending(id => Processor.ThreadTime(FolderOf(id))).Take(shards).Order(),
        ];
        for (int i = 0; i < loops.Length; i++)
        {
            if (!Processor.PinThread(loops[i], processors[i % processors.Length]))
            {
                throw new InvalidOperationException($"The system does not keep thread {loops[i]} on one processor.");
            }
        }

        string FolderOf(int thread) => $"/proc/{process}/task/{thread}";
    }
}
