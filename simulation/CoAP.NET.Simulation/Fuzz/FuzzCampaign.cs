#pragma warning disable RS0030 // workers are threads of their own, and how fast they are is measured
using System.Diagnostics;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Mutated inputs for all parsers and for whole endpoints, guided by which branches of the library they reach.</summary>
internal sealed class FuzzCampaign() : Campaign("fuzz", "mutated inputs for all parsers and whole endpoints, guided by coverage")
{
    private const long DefaultExecutions = 2_000_000;

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(5);

    // An execution that takes this long never ends.
    private static readonly TimeSpan s_hang = TimeSpan.FromSeconds(60);

    public override async Task<CampaignReport> RunAsync(CampaignOptions options, TextWriter progress, CancellationToken cancellationToken)
    {
        if (options.Only?.Split('=') is [string target, string hex])
        {
            long start = Stopwatch.GetTimestamp();
            string? failure = FuzzSession.Replay(target, options.Plant,
                [.. hex.Split('+').Select(one => FuzzCorpus.Parse(one) ?? [])]);
            return new CampaignReport(failure
                ?? $"{target}: nothing fired; it took {Stopwatch.GetElapsedTime(start).TotalMilliseconds:N0} ms, for the first time.\n",
                failure is null ? [] : [failure]);
        }

        // Around both workers, so that neither gives the pool its freedom back while the other still counts on its bound.
        using IDisposable pool = PoolQuiet.Bound();
        int workers = Math.Clamp(Environment.ProcessorCount, 1, 2);

        // Who says how long it shall take, and not how many, means all of that time.
        long each = Math.Max(1, (options.Executions ?? (options.Budget is null ? DefaultExecutions : long.MaxValue)) / workers);
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (options.Budget is { } budget)
        {
            stop.CancelAfter(budget);
        }

        long began = Stopwatch.GetTimestamp();
        IReadOnlyDictionary<string, byte[]> libraries = FuzzIsolation.Rewrite();
        progress.WriteLine(
            $"The library was rewritten in {Stopwatch.GetElapsedTime(began).TotalSeconds:N1} s; {workers} workers "
                + $"make {(options.Executions is null && options.Budget is { } time ? $"executions for {time}" : $"{each:N0} executions each")}.");
        object?[][] status = [.. Enumerable.Range(0, workers).Select(_ => new object?[FuzzStatus.Length])];
        began = Stopwatch.GetTimestamp();
        Task<string[][]>[] running = [.. status.Select((one, i) =>
            Start(() => FuzzIsolation.Make(libraries)(options.Seed + (ulong)i, each, options.Only, options.Plant, one, stop.Token)))];
        List<string> failures = [];
        await WatchAsync(running, status, progress, began, failures);
        TimeSpan took = Stopwatch.GetElapsedTime(began);
        List<FuzzRow> rows = [];
        foreach (Task<string[][]> worker in running.Where(worker => worker.IsCompleted))
        {
            rows.AddRange((await worker).Select(FuzzRow.Unpack));
        }

        failures.AddRange(rows.SelectMany(row => row.Findings));
        return new CampaignReport(FuzzReport.Make(rows, workers, options.Seed, took), failures);
    }

    private static Task<string[][]> Start(Func<string[][]> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static async Task WatchAsync(Task<string[][]>[] running, object?[][] status, TextWriter progress, long began,
        List<string> failures)
    {
        Task all = Task.WhenAll(running);
        (byte[]? Input, long Since)[] last = new (byte[]?, long)[running.Length];
        long before = 0;
        TimeSpan then = TimeSpan.Zero;
        while (await Task.WhenAny(all, Task.Delay(s_interval, TimeProvider.System)) != all)
        {
            TimeSpan now = Stopwatch.GetElapsedTime(began);
            long executions = status.Sum(one => FuzzStatus.Number(one, 2));
            progress.WriteLine($"{now:hh\\:mm\\:ss}  {executions:N0} executions, {(executions - before) / (now - then).TotalSeconds:N0}/s, "
                    + $"corpus {status.Sum(one => FuzzStatus.Number(one, 3)):N0}, "
                + $"features {status.Sum(one => FuzzStatus.Number(one, 4)):N0}, "
                + $"branches {status.Max(one => FuzzStatus.Number(one, 6)):N0}, "
                + $"failures {status.Sum(one => FuzzStatus.Number(one, 5))}");
            (before, then) = (executions, now);
            for (int i = 0; i < running.Length; i++)
            {
                byte[]? input = running[i].IsCompleted ? null : (status[i][1] as Func<byte[]>)?.Invoke();
                if (input is null || !ReferenceEquals(input, last[i].Input))
                {
                    last[i] = (input, Stopwatch.GetTimestamp());
                }
                else if (Stopwatch.GetElapsedTime(last[i].Since) > s_hang)
                {
                    failures.Add(new FuzzFinding((string)status[i][0]!, "hang", $"It did not end in {s_hang.TotalSeconds} s.", [input])
                        .ToString());
                    return;
                }
            }
        }
    }
}
