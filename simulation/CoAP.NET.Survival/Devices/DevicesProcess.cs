using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Survival.Devices;

/// <summary>A <see cref="DeviceHost"/> as a child process.</summary>
internal sealed class DevicesProcess : AskedProcess
{
    // Threads of the pool that have nothing to do give their processor away at once. Each device asks seldom, so otherwise a fifth of the
    // time of such a process would go into looking whether the next one does, at the cost of the nodes.
    private static readonly (string Name, string Value) s_waitsAtOnce = ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0");

    private DevicesProcess(Process process)
        : base(process)
    {
    }

    /// <summary>Starts devices and waits until each has its session and its first answer.</summary>
    /// <param name="server">Whom they ask.</param>
    /// <param name="first">The number of the first one.</param>
    /// <param name="count">How many.</param>
    /// <param name="times">How often they ask.</param>
    public static async Task<DevicesProcess> StartAsync(IPEndPoint server, int first, int count, DeviceTimes times)
    {
        DevicesProcess devices = new(OwnProcess.Start([
            DeviceHost.Verb, "--server", $"coaps://{server}", "--first", Text(first), "--count", Text(count),
            "--pause-ms", Text(times.Pause.TotalMilliseconds), "--posts-one-of", Text(times.PostsOneOf),
            "--ack-timeout-ms", Text(times.AckTimeout.TotalMilliseconds), "--observes-one-of", Text(times.ObservesOneOf)],
            s_waitsAtOnce, NodeProcess.WithoutProfile));
        if (await devices.Process.StandardOutput.ReadLineAsync() != DeviceHost.Opened)
        {
            devices.Dispose();
            throw new InvalidOperationException("The devices did not get their sessions.");
        }

        return devices;
    }

    /// <summary>Has them ask again and again.</summary>
    public Task RunAsync() => ReportAsync(DeviceHost.Run);

    /// <summary>Has them stand still.</summary>
    public void Freeze() => ProcessSignal.Freeze(Process);

    /// <summary>Has them go on.</summary>
    public void Thaw() => ProcessSignal.Thaw(Process);

    /// <summary>Has them look how long they wait from now on.</summary>
    /// <param name="node">The node whose devices are told apart.</param>
    public async Task LookAsync(string node) => await AskAsync(DeviceHost.Look + node);

    /// <summary>Has them begin to count who is back.</summary>
    public async Task CountAsync() => await AskAsync(DeviceHost.Count);

    /// <summary>How many have an answer to a request that they made after <see cref="CountAsync"/>.</summary>
    public async Task<int> BackAsync() => int.Parse(await AskAsync(DeviceHost.Back));

    /// <summary>How many of those that observe have not heard of a state.</summary>
    public async Task<int> UnheardAsync(int phase) =>
        int.Parse(await AskAsync(DeviceHost.Unheard + Text(phase)));

    /// <summary>How many requests were answered until now.</summary>
    public async Task<long> AnsweredAsync() => long.Parse(await AskAsync(DeviceHost.Answered));

    /// <summary>Has them stop, awaits what is under way, and takes what they have counted.</summary>
    public async Task<DeviceFigures> EndAsync() => JsonSerializer.Deserialize<DeviceFigures>(await AskAsync(DeviceHost.End))!;

    private static string Text(double number) => number.ToString("0");
}

/// <summary>How often devices ask.</summary>
/// <param name="Pause">How long after an answer.</param>
/// <param name="PostsOneOf">Of how many requests one is unsafe.</param>
/// <param name="AckTimeout">After how long a request is repeated for the first time (RFC 7252 section 4.8).</param>
/// <param name="ObservesOneOf">Of how many devices one observes a state.</param>
internal readonly record struct DeviceTimes(TimeSpan Pause, int PostsOneOf, TimeSpan AckTimeout, int ObservesOneOf);
