using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Simulation.Machine;

/// <summary>The process in which one fault happens: started by the campaign, it prints what it found as one line of JSON.</summary>
internal static class MachineChild
{
    /// <summary>The word that makes this program such a process.</summary>
    public const string Word = "machine-child";

    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);

    /// <summary>Is the process.</summary>
    /// <param name="name">The case.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string name)
    {
        TextWriter output = Console.Out;

        // Loaded before anything is short: a process without descriptors loads no assembly.
        _ = JsonSerializer.Serialize(new MachineFindings { Happened = { "warm" } });
        MachineFindings findings = new();
        try
        {
            MachineCase one = MachineCase.All.First(one => one.Name == name);
            if (ReferenceEquals(one.Variables, PoolThreads.Variables))
            {
                await PoolThreads.FillAsync();
            }

            await one.RunAsync(findings).WaitAsync(s_limit);
        }
        // Whatever it is, it is what was found.
        catch (Exception exception)
        {
            findings.Failures.Add(exception.ToString());
        }

        await output.WriteLineAsync(JsonSerializer.Serialize(findings));
        await output.FlushAsync();

        // What was made to hang, hangs.
        Environment.Exit(0);
        return 0;
    }

    /// <summary>Starts such a process and waits for what it finds.</summary>
    /// <param name="one">The case.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>What it found.</returns>
    public static async Task<MachineFindings> StartAsync(MachineCase one, CancellationToken cancellationToken)
    {
        if (!OperatingSystem.IsLinux())
        {
            return new MachineFindings { Skipped = "the faults are made with means of Linux" };
        }

        if (one.Shell is not null)
        {
            (int probe, string said, string complained) = await RunAsync(one, ["true"], cancellationToken);
            if (probe != 0)
            {
                return new MachineFindings { Skipped = $"the process may not: {(complained + said).Trim().ReplaceLineEndings("; ")}" };
            }
        }

        string dll = typeof(MachineChild).Assembly.Location;
        (int code, string output, string error) = await RunAsync(one, ["dotnet", dll, Word, one.Name], cancellationToken);
        string? line = output.Split('\n').LastOrDefault(text => text.StartsWith('{'));
        if (line is null || JsonSerializer.Deserialize<MachineFindings>(line) is not { } findings)
        {
            return new MachineFindings { Failures = { $"the process ended with {code} and said: {(output + error).Trim()}" } };
        }

        if (error.Length > 0)
        {
            findings.Failures.Add($"written to the error output: {error.Trim()}");
        }

        return findings;
    }

    private static async Task<(int Code, string Output, string Error)> RunAsync(MachineCase one, string[] command,
        CancellationToken cancellationToken)
    {
        ProcessStartInfo info = new("/bin/sh") { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string word in (string[])["-c", one.Shell ?? "exec \"$@\"", "sh", .. command])
        {
            info.ArgumentList.Add(word);
        }

        // Without diagnostics the runtime itself writes no files.
        info.Environment["DOTNET_EnableDiagnostics"] = "0";
        foreach ((string name, string? value) in one.Variables)
        {
            info.Environment[name] = value;
        }

        using Process process = Process.Start(info)!;
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync(cancellationToken);
            Task<string> error = process.StandardError.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken).WaitAsync(s_limit * 1.2, TimeProvider.System, cancellationToken);
            return (process.ExitCode, await output, await error);
        }
        catch (Exception exception) when (exception is OperationCanceledException or TimeoutException)
        {
            process.Kill(entireProcessTree: true);
            return (-1, "", exception.Message);
        }
    }
}
