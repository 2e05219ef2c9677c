using System.Text.Json;

namespace CoAP.NET.Survival.Devices;

/// <summary>
/// Many devices as a process of its own (<c>devices</c>). It does what lines on its standard input say, and ends with it.
/// </summary>
internal static class DeviceHost
{
    public const string Verb = "devices";
    public const string Opened = "opened";
    public const string Run = "run";
    public const string Look = "look ";
    public const string Looking = "looking";
    public const string Answered = "answered";
    public const string Count = "count";
    public const string Back = "back";
    public const string Unheard = "unheard ";
    public const string End = "end";

    private const int OpenedAtOnce = 32;
    private const int MostTexts = 5;

    // Longer than any request takes.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(6);
    private static readonly string[] s_values =
        ["--server", "--first", "--count", "--pause-ms", "--posts-one-of", "--ack-timeout-ms", "--observes-one-of"];

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, s_values, []);
        DeviceTimes times = new(
            TimeSpan.FromMilliseconds(arguments.Number("--pause-ms", 200)), arguments.Number("--posts-one-of", 5),
            TimeSpan.FromMilliseconds(arguments.Number("--ack-timeout-ms", 2000)),
            arguments.Number("--observes-one-of", int.MaxValue));
        int first = arguments.Number("--first", 0);
        Device[] devices = [.. Enumerable.Range(first, arguments.Number("--count", 1))
            .Select(index => new Device(arguments.Text("--server", ""), index, times))];
        await Parallel.ForEachAsync(devices, new ParallelOptions { MaxDegreeOfParallelism = OpenedAtOnce },
            async (device, _) => await device.OpenAsync());
        Console.WriteLine(Opened);
        using CancellationTokenSource stop = new();
        Task[] running = [];
        bool[] affected = new bool[devices.Length];
        while (await Console.In.ReadLineAsync() is { } line)
        {
            if (line == Run)
            {
                running = [.. devices.Select(device => device.RunAsync(stop.Token))];
            }
            else if (line.StartsWith(Look, StringComparison.Ordinal))
            {
                string node = line[Look.Length..];
                affected = [.. devices.Select(device => device.Look() == node)];
                Console.WriteLine(Looking);
            }
            else if (line == Count)
            {
                Array.ForEach(devices, device => device.BeginToCount());
                Console.WriteLine(Count);
            }
            else if (line == Back)
            {
                Console.WriteLine(devices.Count(device => device.IsBack));
            }
            else if (line.StartsWith(Unheard, StringComparison.Ordinal))
            {
                int phase = int.Parse(line[Unheard.Length..]);
                Console.WriteLine(devices.Count(device => device.Phase >= 0 && device.Phase != phase));
            }
            else if (line == Answered)
            {
                Console.WriteLine(devices.Sum(device => device.Answered));
            }
            else if (line == End)
            {
                await stop.CancelAsync();
                await Task.WhenAny(Task.WhenAll(running), Task.Delay(s_patience, TimeProvider.System, CancellationToken.None));
                Console.WriteLine(JsonSerializer.Serialize(Sum(devices, affected)));
            }
        }

        return 0;
    }

    private static DeviceFigures Sum(Device[] devices, bool[] affected)
    {
        int[] waits = [.. devices.Select(device => (int)device.Longest.TotalMilliseconds)];
        return new DeviceFigures(
            devices.Sum(device => device.Answered), devices.Sum(device => device.Errors),
            devices.Sum(device => device.Wrong), devices.Count(device => device.IsWaiting), waits,
            [.. waits.Where((_, i) => affected[i])],
            [.. devices.Select(device => device.Text).OfType<string>().Take(MostTexts)]);
    }
}
