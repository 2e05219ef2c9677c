using System.Runtime.CompilerServices;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Something that reads bytes of strangers, and what must be true of it whatever they are.</summary>
internal abstract class FuzzTarget : IDisposable
{
    /// <summary>The basis of a bound where a fault is an exception, which takes some KiB with its trace.</summary>
    protected const int WithException = 16_384;

    private long _allocatedBefore;
    private int _meterFactor;
    private int _meterBasis;

    /// <summary>Its word on the command line, and the name of its corpus.</summary>
    public string Name { get; set; } = "";

    /// <summary>What it is, for the table.</summary>
    public string Summary { get; set; } = "";

    /// <summary>How many of its executions a round has: the slower, the fewer.</summary>
    public virtual int Share => 1000;

    /// <summary>The longest input.</summary>
    public virtual int MaxLength => 1024;

    /// <summary>The longest time that an execution may take, in milliseconds.</summary>
    public virtual int MaxMilliseconds => 50;

    /// <summary>Words that mean something to what reads.</summary>
    public virtual IReadOnlyList<byte[]> Dictionary => [];

    /// <summary>A planted defect; null for none.</summary>
    public string? Plant { get; set; }

    /// <summary>Whether an execution leaves nothing behind that the next one could meet.</summary>
    public virtual bool IsStateless => true;

    /// <summary>
    /// Runs one input. An oracle that fires throws <see cref="FuzzFailureException"/>; any other exception is a failure too.
    /// </summary>
    /// <param name="input">The bytes.</param>
    /// <returns>What came of it as a number: equal for what behaved alike. New numbers make inputs worth keeping.</returns>
    public abstract ulong Run(byte[] input);

    /// <summary>Changes an input in one place, in a way that suits the target.</summary>
    /// <param name="buffer">The input.</param>
    /// <param name="random">Chance.</param>
    /// <param name="other">Another input, to take parts from.</param>
    public abstract void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other);

    /// <summary>Looks at what is left after many inputs, and begins anew. Nothing to do for a parser.</summary>
    public virtual void Settle()
    {
    }

    /// <summary>Parts of a failing input that can be left out one by one; empty when bytes are the parts.</summary>
    public virtual IReadOnlyList<Range> PartsOf(byte[] input) => [];

    /// <summary>The inputs since the last <see cref="Settle"/>, as a failure may come of any of them.</summary>
    public virtual IReadOnlyList<byte[]> History => [];

    /// <summary>What is planted is told from what is found by its name.</summary>
    public bool IsPlanted(string name) => Plant == name;

    /// <summary>Begins to count what the next call of the library allocates.</summary>
    /// <param name="factor">The bound for each byte of the input, in bytes.</param>
    /// <param name="basis">The bound whatever the input is, in bytes.</param>
    protected void BeginMeter(int factor = 64, int basis = 4096)
    {
        (_meterFactor, _meterBasis) = (factor, basis);
        _allocatedBefore = GC.GetAllocatedBytesForCurrentThread();
    }

    /// <summary>Memory grows with the input and with nothing that the input says.</summary>
    protected void EndMeter(int inputLength, string what)
    {
        long allocated = GC.GetAllocatedBytesForCurrentThread() - _allocatedBefore;
        long bound = _meterBasis + ((long)_meterFactor * inputLength);
        if (allocated > bound)
        {
            throw new FuzzFailureException("memory",
                $"{what} allocated {allocated} B for an input of {inputLength} B; {bound} B is the bound.");
        }
    }

    protected static void Check(bool holds, string oracle, string message)
    {
        if (!holds)
        {
            throw new FuzzFailureException(oracle, message);
        }
    }

    protected static void Check(bool holds, string oracle, [InterpolatedStringHandlerArgument(nameof(holds))] ref CheckText message)
    {
        if (!holds)
        {
            throw new FuzzFailureException(oracle, message.Take());
        }
    }

    /// <summary>A number for signatures, so that large ones are all alike.</summary>
    protected static ulong Small(long value, int most) => (ulong)Math.Min(value, most);

    protected static byte[][] Words(params string[] words) => [.. words.Select(Encoding.Latin1.GetBytes)];

    public virtual void Dispose() => GC.SuppressFinalize(this);
}

/// <summary>An oracle fired.</summary>
/// <param name="oracle">Its name, which stays the same while an input is shrunk.</param>
/// <param name="message">What was seen.</param>
internal sealed class FuzzFailureException(string oracle, string message) : Exception(message)
{
    public string Oracle { get; } = oracle;
}
