#pragma warning disable RS0030 // how long executions really take is what is measured here
using System.Diagnostics;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Runs one target: takes an input of the corpus, changes it some times, runs it, and keeps it when it reached something new.
/// </summary>
internal sealed class FuzzRunner
{
    private const int MaxFeatures = 1 << 18;
    private const int MaxCorpus = 4096;

    private readonly FuzzTarget _target;
    private readonly FuzzRandom _random;
    private readonly CoverageMap? _coverage;
    private readonly FuzzBuffer _buffer;
    private readonly List<byte[]> _corpus = [];
    private readonly HashSet<ulong> _features = [];
    private byte[] _last = [];

    public FuzzRunner(FuzzTarget target, ulong seed, IReadOnlyList<byte[]> corpus, CoverageMap? coverage)
    {
        _target = target;
        _random = new FuzzRandom(FuzzRandom.Mix(seed, (ulong)target.Name.Sum(c => c * 31) + 1));
        _coverage = coverage;
        _buffer = new FuzzBuffer(target.MaxLength);
        Seeds = corpus;
    }

    public FuzzTarget Target => _target;

    /// <summary>The inputs of the repository.</summary>
    public IReadOnlyList<byte[]> Seeds { get; }

    /// <summary>The inputs that are worth changing.</summary>
    public IReadOnlyList<byte[]> Corpus => _corpus;

    public int Features => _features.Count;

    public long Executions { get; private set; }

    /// <summary>Blocks of the library that were reached while this target ran and never before.</summary>
    public long Blocks { get; private set; }

    /// <summary>A number made of all inputs and what came of them: equal for equal runs.</summary>
    public ulong Digest { get; private set; }

    public long Ticks { get; private set; }

    /// <summary>The input that runs at this moment, for whoever sees that it never ends.</summary>
    public byte[] Current => Volatile.Read(ref _last);

    /// <summary>Runs the inputs of the repository.</summary>
    /// <returns>What was found; null for nothing.</returns>
    public FuzzFinding? RunSeeds()
    {
        foreach (byte[] seed in Seeds)
        {
            if (Execute(seed, keep: true) is { } finding)
            {
                return finding;
            }
        }

        if (_corpus.Count == 0)
        {
            _corpus.Add([]);
        }

        return null;
    }

    /// <summary>Runs changed inputs.</summary>
    /// <param name="count">How many.</param>
    /// <param name="stop">Ends it early.</param>
    /// <returns>What was found; null for nothing.</returns>
    public FuzzFinding? Run(int count, CancellationToken stop)
    {
        long began = Stopwatch.GetTimestamp();
        FuzzFinding? finding = Executions == 0 ? RunSeeds() : null;
        for (int i = 0; i < count && finding is null && !stop.IsCancellationRequested; i++)
        {
            _buffer.Set(PickParent());
            for (int change = _random.Below(4) == 0 ? 1 + _random.Below(12) : 1 + _random.Below(3); change > 0; change--)
            {
                _target.Mutate(_buffer, _random, _random.Pick(_corpus));
            }

            finding = Execute(_buffer.Span.ToArray(), keep: false);
        }

        Ticks += Stopwatch.GetTimestamp() - began;
        return finding;
    }

    // What was found lately leads further; the rest keeps its chance.
    private byte[] PickParent() => _random.OneOf(2) && _corpus.Count > 32 ? _corpus[^(1 + _random.Below(32))] : _random.Pick(_corpus);

    private FuzzFinding? Execute(byte[] input, bool keep)
    {
        Volatile.Write(ref _last, input);
        Executions++;
        long blocks = _coverage?.Reached ?? 0;
        ulong signature;
        try
        {
            signature = Timed(input);
        }
        // Whatever is thrown is a finding.
        catch (Exception exception)
        {
            if (FuzzShrinker.Confirm(_target, _target.IsStateless ? [input] : _target.History, exception) is { } finding)
            {
                return finding;
            }

            // It did not come again: the machine was busy, or the runtime did what it does once. The input counts like any other one.
            signature = _target.Run(input);
        }

        Digest = FuzzRandom.Mix(FuzzRandom.Mix(Digest, HashOf(input)), signature);
        long reached = (_coverage?.Reached ?? 0) - blocks;
        Blocks += reached;
        bool isNew = reached > 0;
        if (_features.Count < MaxFeatures && _features.Add(signature))
        {
            isNew = true;
        }

        if (isNew || keep)
        {
            // A full corpus forgets at random, but for the inputs of the repository.
            if (_corpus.Count < MaxCorpus)
            {
                _corpus.Add(input);
            }
            else
            {
                _corpus[Math.Min(Seeds.Count + _random.Below(MaxCorpus - Seeds.Count), MaxCorpus - 1)] = input;
            }
        }

        return null;
    }

    private ulong Timed(byte[] input)
    {
        long began = Stopwatch.GetTimestamp();
        ulong signature = _target.Run(input);
        if (Stopwatch.GetElapsedTime(began).TotalMilliseconds > _target.MaxMilliseconds)
        {
            throw new FuzzFailureException("time",
                $"It took {Stopwatch.GetElapsedTime(began).TotalMilliseconds:N0} ms; {_target.MaxMilliseconds} ms is the bound.");
        }

        return signature;
    }

    private static ulong HashOf(ReadOnlySpan<byte> bytes)
    {
        ulong hash = (ulong)bytes.Length;
        for (; bytes.Length >= 8; bytes = bytes[8..])
        {
            hash = FuzzRandom.Mix(hash, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        }

        foreach (byte one in bytes)
        {
            hash = (hash << 8) ^ (hash >> 56) ^ one;
        }

        return FuzzRandom.Mix(hash, 1);
    }
}

/// <summary>An input that is not read as it has to be.</summary>
/// <param name="Target">Whose input it is.</param>
/// <param name="Oracle">Which oracle fired.</param>
/// <param name="Message">What was seen.</param>
/// <param name="Inputs">The input, shrunk; several when it takes them all, one after the other.</param>
internal sealed record FuzzFinding(string Target, string Oracle, string Message, IReadOnlyList<byte[]> Inputs)
{
    public override string ToString() =>
        $"{Target}: {Oracle}: {Message}\n    replay: dotnet run -c Release --project simulation/CoAP.NET.Simulation -- fuzz "
            + $"--only {Target}={string.Join('+', Inputs.Select(input => input.Length == 0 ? "-" : Convert.ToHexStringLower(input)))}";
}
