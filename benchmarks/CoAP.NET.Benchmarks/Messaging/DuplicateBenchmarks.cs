using CoAP.NET.Diagnostics;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// What it costs to know whether a message came before (RFC 7252 section 4.5), by how many are remembered. Peers take turns and the
/// remembered ones are looked up in no order, so that with many of them each lookup finds its memory cold, as a server does.
/// </summary>
[MemoryDiagnoser]
public class DuplicateBenchmarks
{
    private const int Messages = 1024;

    // A large prime: multiples of it visit all of them in no order.
    private const long Stride = 1_000_003;

    private DuplicateRig _rig = null!;
    private long _visit;

    /// <summary>How many messages are remembered.</summary>
    [Params(1_000, 100_000, 1_000_000)]
    public int Remembered { get; set; }

    /// <summary>
    /// Fills the memory up to where one expires for each that comes, and checks that those within their lifetime are found, and no others.
    /// </summary>
    [GlobalSetup]
    public void Setup()
    {
        _rig = new DuplicateRig(Remembered);
        _rig.Insert((2 * Remembered) + Messages);
        Expect(Messages, FindHit());
        Expect(0, FindMiss());
        Insert();
        if (_rig.Counters[CoapCounter.DeduplicationEvictions] != 0 || _rig.Memory.Finished < Remembered)
        {
            throw new InvalidOperationException($"{_rig.Memory.Finished} of {Remembered} messages are remembered.");
        }
    }

    /// <summary>A lookup that finds the message and its reply.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public int FindHit()
    {
        int found = 0;
        for (int i = 0; i < Messages; i++)
        {
            // The oldest tenth may be about to expire.
            found += _rig.Find((_visit++ * Stride) % (Remembered - (Remembered / 10))) ? 1 : 0;
        }

        return found;
    }

    /// <summary>A lookup of a message that did not come before, which is what nearly every message is.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public int FindMiss()
    {
        int found = 0;
        for (int i = 0; i < Messages; i++)
        {
            found += _rig.Find(-1 - ((_visit++ * Stride) % Remembered)) ? 1 : 0;
        }

        return found;
    }

    /// <summary>
    /// A new message from its admission until its reply of 21 bytes is stored, with the object that stands for it meanwhile, while another
    /// one expires.
    /// </summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public void Insert() => _rig.Insert(Messages);

    private static void Expect(int expected, int found)
    {
        if (expected != found)
        {
            throw new InvalidOperationException($"{found} of {Messages} messages were found instead of {expected}.");
        }
    }
}
