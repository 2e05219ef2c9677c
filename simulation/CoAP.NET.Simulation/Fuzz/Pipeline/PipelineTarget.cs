using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// A whole endpoint on virtual time. It is kept for many inputs; each ends with a well-formed request from somebody who does no harm, which
/// must be answered. After a number of inputs all its peers fall silent, time passes, and nothing may be left.
/// </summary>
internal abstract class PipelineTarget(WireShape shape) : FuzzTarget
{
    private const int InputsOfOneLife = 100;
    private const int MaxHistory = 60_000;

    private readonly RecordMutator _mutator = new(shape);
    private readonly List<byte[]> _history = [];
    private bool _isAlive;

    public override int Share => 60;

    public override int MaxLength => 3000;

    public override int MaxMilliseconds => 5000;

    public override bool IsStateless => false;

    public override IReadOnlyList<byte[]> History => [.. _history];

    protected VirtualClock Clock { get; private set; } = new();

    protected FuzzLog Log { get; private set; } = new();

    public override IReadOnlyList<Range> PartsOf(byte[] input) => RecordInput.Split(input);

    public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other) => _mutator.Mutate(buffer, random, other);

    public override ulong Run(byte[] input)
    {
        // Continuations go to the thread pool and not to whatever the caller has.
        SynchronizationContext.SetSynchronizationContext(null);
        if (!_isAlive)
        {
            Clock = new VirtualClock();
            Log = new FuzzLog();
            _history.Clear();
            Begin();
            _isAlive = true;
        }

        _history.Add(input);
        ulong signature = RunRecords(input);
        Check(Log.First is null, "log", $"An error was logged: {Log.First}");
        if (_history.Count >= InputsOfOneLife || _history.Sum(one => one.Length) > MaxHistory)
        {
            Settle();
        }

        return signature;
    }

    public override void Settle()
    {
        if (!_isAlive)
        {
            return;
        }

        _isAlive = false;
        EndLife();
    }

    public override void Dispose()
    {
        try
        {
            if (_isAlive)
            {
                Abandon();
            }
        }
        catch (FuzzFailureException)
        {
            // What was found was told before.
        }

        base.Dispose();
    }

    /// <summary>Makes the endpoint.</summary>
    protected abstract void Begin();

    /// <summary>Runs an input.</summary>
    /// <returns>What came of it as a number.</returns>
    protected abstract ulong RunRecords(byte[] input);

    /// <summary>Lets time pass, looks at what is left, and ends the endpoint.</summary>
    protected abstract void EndLife();

    /// <summary>Ends the endpoint without a look.</summary>
    protected abstract void Abandon();

    protected CoapEndpointOptions MakeOptions() => new CoapEndpointOptions
    {
        TimeProvider = Clock,
        Pipeline = { Random = new VirtualRandom(42), Scheduler = new VirtualScheduler(Clock) },
        LoggerFactory = Log,
    }.UseQBlock(CoapQBlockPolicy.AllowUnsecured);

    /// <summary>Waits for a task while time passes; what has to end does so within the time.</summary>
    protected void Complete(Task task, TimeSpan max, string oracle)
    {
        TimeSpan end = Clock.Elapsed + max;
        PoolQuiet.Wait();
        while (!task.IsCompleted)
        {
            Check(Clock.Elapsed < end, oracle, $"It did not end in {max} of virtual time.");
            TimeSpan next = Clock.NextDue ?? end;
            Clock.AdvanceTo(next < Clock.Elapsed + TimeSpan.FromMilliseconds(1) ? Clock.Elapsed + TimeSpan.FromMilliseconds(1)
                : next > end ? end : next);
            PoolQuiet.Wait();
            AfterStep();
        }
    }

    /// <summary>Called each time that time has passed: for peers that have to say something now and then.</summary>
    protected virtual void AfterStep()
    {
    }

    protected static CoapAddress Address(uint last, ushort port) => CoapAddress.FromIPv4(0xc6336400 + last, port);
}
