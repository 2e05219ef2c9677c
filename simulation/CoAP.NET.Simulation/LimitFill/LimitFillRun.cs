using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>A run of one row with a number of sources: fills the bound, keeps it full while honest clients work, and measures.</summary>
internal sealed class LimitFillRun
{
    /// <summary>Within which an honest request has to be served.</summary>
    public static readonly TimeSpan Goal = TimeSpan.FromSeconds(2);

    /// <summary>What RSS may be above the bound of the heap: memory that the allocators keep for what comes next.</summary>
    public const int SlackMiB = 48;

    private const int Rounds = 3;
    private const int Together = 16;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    private readonly LimitFillCase _row;
    private readonly LimitFillTarget _target;
    private readonly Func<Task<LimitFillFigures>> _measure;
    private readonly LimitFillSource[] _sources;
    private readonly LimitFiller?[] _holders;
    private readonly TimeSpan _settle;
    private readonly bool _isShort;
    private readonly HonestTimes _times = new();
    private readonly List<string> _failures = [];
    private int _next;

    private LimitFillRun(LimitFillCase row, int sources, bool isShort, LimitFillTarget target, Func<Task<LimitFillFigures>> measure)
    {
        _row = row;
        _target = target;
        _isShort = isShort;
        _measure = measure;
        _sources = [.. Enumerable.Range(0, sources).Select(number => new LimitFillSource(number, target, isShort))];
        _settle = TimeSpan.FromMilliseconds(isShort ? 100 : 300);
        _holders = new LimitFiller?[isShort ? row.HoldersInTests : row.Holders];
    }

    /// <summary>Runs a row against a server of another process, so that its memory is measured.</summary>
    public static async Task<LimitFillResult> RunAsync(LimitFillCase row, int sources, TimeSpan budget, CancellationToken cancellationToken)
    {
        using AskedProcess child = new(SimulationProcess.Start([LimitFillServer.Verb, row.Name]));
        LimitFillTarget target = LimitFillTarget.Parse(child.WaitFor(LimitFillServer.Listening));
        LimitFillRun run = new(row, sources, isShort: false, target, async () =>
            LimitFillFigures.Parse(
                await child.AskAsync(LimitFillServer.Measuring).WaitAsync(TimeSpan.FromSeconds(60), CancellationToken.None)));
        LimitFillResult result = await run.RunAsync(budget, cancellationToken);
        List<string> failures = [.. result.Failures];
        if (result.Times.Slowest.Time > Goal)
        {
            failures.Add(run.Say(
                $"{result.Times.Slowest.What} took {result.Times.Slowest.Time.TotalSeconds:0.0} s; bound: {Goal.TotalSeconds} s"));
        }

        double heap = result.Heap / LiveHeap.MiB;
        double resident = result.Resident / LiveHeap.MiB;
        if (heap > row.MiB || resident > row.MiB + SlackMiB)
        {
            failures.Add(run.Say(
                $"heap {heap:0.0} MiB and RSS {resident:0.0} MiB above idle; bound: {row.MiB} MiB, RSS {row.MiB + SlackMiB} MiB"));
        }

        return result with { Failures = failures };
    }

    /// <summary>Runs the small form in this process.</summary>
    public static async Task<LimitFillResult> RunShortAsync(LimitFillCase row, int sources)
    {
        await using LimitFillServer server = new(row, isShort: true);
        await server.StartAsync();
        LimitFillRun run = new(row, sources, isShort: true, server.Target, () => Task.FromResult(server.Count()));
        LimitFillResult result = await run.RunAsync(TimeSpan.Zero, CancellationToken.None);
        return result.Held <= server.Most
            ? result
            : result with { Failures = [.. result.Failures, run.Say($"{result.Held} are held; bound: {server.Most}")] };
    }

    private async Task<LimitFillResult> RunAsync(TimeSpan budget, CancellationToken cancellationToken)
    {
        await using HonestPeer known = new(_target, _times, s_patience, _isShort);
        await known.WorkAsync();
        _ = await known.KeptSessionAsync();
        LimitFillFigures idle = await _measure();
        LimitFillFigures most = idle;
        try
        {
            await Bounded.EndAsync(new ValueTask(FillAsync(0, _holders.Length)), "filling the bound");
            await Task.Delay(_settle, TimeProvider.System, cancellationToken);
            Watch begin = new();
            for (int round = 0; round < Rounds || begin.Elapsed < budget; round++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                most = Larger(most, await _measure());
                await using HonestPeer newcomer = new(_target, _times, s_patience, _isShort);
                Task work = Task.WhenAll(newcomer.WorkAsync(), known.WorkAsync());
                await Bounded.EndAsync(new ValueTask(KeepAsync(round, work)), "keeping the bound full");
                await work;
                if (_row.KeepsSessions && !await known.KeptSessionAsync())
                {
                    _failures.Add(Say($"the session of a known device was ended"));
                }
            }

            most = Larger(most, await _measure());
        }
        finally
        {
            await Task.WhenAll(_holders.OfType<LimitFiller>().Select(holder => Bounded.EndAsync(holder.DisposeAsync(), "a holder")));
        }

        _failures.AddRange(_times.Troubles.Distinct().Select(trouble => Say($"{trouble}")));
        if (_row.Proof is { } proof && most.Proof == 0)
        {
            _failures.Add(Say($"{proof} is 0: the bound was not run into"));
        }

        return new LimitFillResult(
            _row, _sources.Length, _sources.Sum(source => source.BytesSent), _times, most.Heap - idle.Heap,
            most.Resident - idle.Resident, most.Held, most.Proof, _failures);
    }

    private static LimitFillFigures Larger(LimitFillFigures one, LimitFillFigures other) =>
        new(Math.Max(one.Heap, other.Heap), Math.Max(one.Resident, other.Resident), Math.Max(one.Held, other.Held),
            Math.Max(one.Proof, other.Proof));

    private async Task FillAsync(int from, int to) =>
        await Parallel.ForAsync(from, to, new ParallelOptions { MaxDegreeOfParallelism = Together }, async (number, _) =>
        {
            try
            {
                _holders[number] = await _row.OpenAsync(_sources[number % _sources.Length], number);
            }
            catch (Exception exception) when (exception is SocketException or TimeoutException)
            {
                // It was not let in: that is the server's right.
            }
        });

    // Whoever lost its place comes again, and a tenth of those that cannot know say again what they said.
    private async Task KeepAsync(int round, Task work)
    {
        for (int step = 0; step < _holders.Length && !work.IsCompleted; step++)
        {
            int number = (_next + step) % _holders.Length;

            if (_holders[number] is not { IsGone: false })
            {
                if (Interlocked.Exchange(ref _holders[number], null) is { } gone)
                {
                    await gone.DisposeAsync();
                }

                await FillAsync(number, number + 1);
            }
            else if (number % 10 == round % 10)
            {
                await _holders[number]!.KeepAsync();
            }
        }

        _next += _holders.Length / Rounds;
    }

    private string Say(FormattableString what) =>
        $"{_row.Name}, {_sources.Length} sources: "
            + what.ToString();
}

/// <summary>What a run of a row showed.</summary>
/// <param name="Row">The row.</param>
/// <param name="Sources">How many addresses attacked.</param>
/// <param name="Sent">Bytes that they sent in all.</param>
/// <param name="Times">What honest clients saw.</param>
/// <param name="Heap">The most bytes of live heap above idle; 0 where it was not measured.</param>
/// <param name="Resident">The most bytes of RSS above idle; 0 where it was not measured.</param>
/// <param name="Held">The most that the bound counted.</param>
/// <param name="Proof">The counter of the row.</param>
/// <param name="Failures">What did not hold.</param>
internal sealed record LimitFillResult(
    LimitFillCase Row, int Sources, long Sent, HonestTimes Times, long Heap, long Resident, long Held, long Proof,
    IReadOnlyList<string> Failures);

/// <summary>What a server measured of itself.</summary>
/// <param name="Heap">Bytes of live objects, after a collection of everything.</param>
/// <param name="Resident">Bytes of memory that the process has (RSS), after what is free was given back to the system.</param>
/// <param name="Held">What the row's bound counts.</param>
/// <param name="Proof">The counter that shows that the bound was run into.</param>
internal readonly record struct LimitFillFigures(long Heap, long Resident, long Held, long Proof)
{
    public static LimitFillFigures Parse(string text)
    {
        long[] numbers = [.. text.Split(' ').Select(number => long.Parse(number))];
        return new LimitFillFigures(numbers[0], numbers[1], numbers[2], numbers[3]);
    }

    public override string ToString() => $"{Heap} {Resident} {Held} {Proof}";
}

/// <summary>Steps of a run that must end, whatever hangs.</summary>
internal static class Bounded
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    /// <summary>Waits for a step.</summary>
    /// <param name="step">The step.</param>
    /// <param name="what">What it is, as the exception says.</param>
    /// <exception cref="TimeoutException">It does not end.</exception>
    public static async Task EndAsync(ValueTask step, string what)
    {
        try
        {
            await step.AsTask().WaitAsync(s_hang);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{what} does not end.", exception);
        }
    }
}
