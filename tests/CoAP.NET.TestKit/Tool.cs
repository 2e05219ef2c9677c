using System.Diagnostics;
using System.Text;
using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Shared;

/// <summary>Runs a program and reads what it says.</summary>
internal sealed class Tool : IDisposable
{
    // A program is built and trimmed meanwhile, beside all other tests.
    private static readonly TimeSpan s_patience = FromMinutes(12);
    private readonly Process _process;
    private readonly StringBuilder _output = new();
    private readonly List<(Func<string, bool> Is, TaskCompletionSource<string> Seen)> _awaited = [];
    private readonly Lock _gate = new();

    private Tool(string folder, string program, IReadOnlyList<string> arguments, IReadOnlyDictionary<string, string>? environment)
    {
        ProcessStartInfo start = new(program, arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true
        };
        // What the test run was given for its own build must not reach the builds that are tested.
        foreach (string name in start.Environment.Keys.Where(name => name.StartsWith("MSBUILD", OrdinalIgnoreCase)
            || name is "CI" or "RepositoryUrl").ToArray())
        {
            start.Environment.Remove(name);
        }

        start.Environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
        start.Environment["DOTNET_NOLOGO"] = "1";
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";

        // Each of them runs once, for seconds: code that is instrumented to be optimized later costs a fifth of that.
        start.Environment["DOTNET_TieredPGO"] = "0";
        foreach ((string name, string value) in environment ?? new Dictionary<string, string>())
        {
            start.Environment[name] = value;
        }

        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Read(line.Data);
        _process.ErrorDataReceived += (_, line) => Read(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    public int Id => _process.Id;

    public string Output
    {
        get
        {
            lock (_gate)
            {
                return _output.ToString();
            }
        }
    }

    /// <summary>Starts a program that goes on by itself.</summary>
    public static Tool Start(string folder, string program, IReadOnlyList<string> arguments,
        IReadOnlyDictionary<string, string>? environment = null) =>
            new(folder, program, arguments, environment);

    /// <summary>Runs a program to its end.</summary>
    /// <exception cref="InvalidOperationException">It failed; the message has what it said.</exception>
    public static async Task<string> RunAsync(string folder, string program, IReadOnlyList<string> arguments,
        IReadOnlyDictionary<string, string>? environment = null)
    {
        using Tool tool = new(folder, program, arguments, environment);
        int code = await tool.EndAsync();
        return code == 0
            ? tool.Output
            : throw new InvalidOperationException($"{program} {string.Join(' ', arguments)} ended with {code}:\n{tool.Output}");
    }

    /// <summary>Waits for a line that holds a text.</summary>
    /// <returns>The line.</returns>
    public async Task<string> SaysAsync(string text)
    {
        TaskCompletionSource<string> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            string? line = _output.ToString().Split('\n').FirstOrDefault(line => line.Contains(text, Ordinal));
            if (line is not null)
            {
                return line;
            }

            _awaited.Add((line => line.Contains(text, Ordinal), seen));
        }

        Task first = await Task.WhenAny(seen.Task, _process.WaitForExitAsync()).WaitAsync(s_patience);
        return first == seen.Task
            ? await seen.Task
            : throw new InvalidOperationException($"The program ended without saying '{text}':\n{Output}");
    }

    /// <summary>Waits for a line of a pattern behind lines that were read before.</summary>
    /// <returns>How many lines are read now.</returns>
    public async Task<int> SaysAsync(Regex pattern, int read)
    {
        while (true)
        {
            TaskCompletionSource<string> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_gate)
            {
                string[] lines = _output.ToString().Split('\n');
                int at = Array.FindIndex(lines, read, line => pattern.IsMatch(line));
                if (at >= 0)
                {
                    return at + 1;
                }

                _awaited.Add((pattern.IsMatch, seen));
            }

            if (await Task.WhenAny(seen.Task, _process.WaitForExitAsync()).WaitAsync(s_patience) != seen.Task && !seen.Task.IsCompleted)
            {
                throw new InvalidOperationException($"The program ended without saying '{pattern}':\n{Output}");
            }
        }
    }

    /// <summary>Waits for the end of the program and of its output.</summary>
    /// <returns>Its exit code.</returns>
    public async Task<int> EndAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(s_patience);
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
        }

        _process.Dispose();
    }

    private void Read(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_gate)
        {
            _output.Append(line).Append('\n');
            foreach ((Func<string, bool> isIt, TaskCompletionSource<string> seen) in _awaited)
            {
                if (isIt(line))
                {
                    seen.TrySetResult(line);
                }
            }
        }
    }
}
