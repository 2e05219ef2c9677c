namespace CoAP.NET.Benchmarks;

/// <summary>100,000 options and 1,000,000,000 bytes of payload: too large for many repetitions, so the fastest of a few counts.</summary>
internal static class ExtremeCase
{
    private const int Repetitions = 5;

    private static readonly MatrixCase s_case = new(100_000, 1_000_000_000);

    /// <summary>Measures it.</summary>
    public static async Task<MatrixFigures> MeasureAsync()
    {
        StreamMatrix matrix = new() { Case = s_case };
        matrix.Setup();
        Dictionary<string, double> times = [];
        Dictionary<string, long> bytes = [];
        foreach ((string name, Func<Task> run) in new (string, Func<Task>)[]
        {
            (nameof(matrix.Copy), () => Now(matrix.Copy)),
            (nameof(matrix.Deserialize), () => Now(() => matrix.Deserialize())),
            (nameof(matrix.DeserializeAsync), () => matrix.DeserializeAsync().AsTask()),
            (nameof(matrix.DeserializeTyped), () => Now(() => matrix.DeserializeTyped())),
            (nameof(matrix.Serialize), () => Now(() => matrix.Serialize())),
            (nameof(matrix.SerializeAsync), () => matrix.SerializeAsync().AsTask()),
        })
        {
            times[name] = double.MaxValue;
            bytes[name] = long.MaxValue;
            for (int i = 0; i < Repetitions; i++)
            {
                GC.Collect();
                long allocated = GC.GetTotalAllocatedBytes(precise: true);
                long begin = TimeProvider.System.GetTimestamp();
                await run();
                times[name] = Math.Min(times[name], TimeProvider.System.GetElapsedTime(begin).TotalMicroseconds);
                bytes[name] = Math.Min(bytes[name], GC.GetTotalAllocatedBytes(precise: true) - allocated);
            }
        }

        return new MatrixFigures(times, bytes);
    }

    private static Task Now(Action action)
    {
        action();
        return Task.CompletedTask;
    }
}
