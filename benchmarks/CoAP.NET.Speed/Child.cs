using System.Diagnostics;

namespace CoAP.NET.Speed;

/// <summary>A program that this one has started, kept on a processor. None is left behind, however this one ends.</summary>
internal sealed class Child : IDisposable
{
    /// <summary>How a line begins that says where a server listens.</summary>
    public const string Listening = "listening on ";

    /// <summary>The switch by which this program, started by itself, ends as soon as nobody holds its input any more.</summary>
    public const string WithParent = "--with-parent";

    // What is left alone when this program is killed ends as well: its input ends then. $$ is what the shell becomes. The output belongs to
    // what was started alone, so that it ends with it.
    private const string Watched = "exec 3<&0; (read -r line <&3; kill $$ 2>/dev/null) >/dev/null & exec \"$@\"";

    private const string Shell = "/bin/sh";
    private const int WordsOfShell = 3;

    private static readonly List<Child> s_running = [];
    private static bool s_isEnding;

    private readonly Process _process;

    private Child(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>Where it listens, in its order.</summary>
    public IReadOnlyList<IPEndPoint> Endpoints { get; private init; } = [];

    /// <summary>The processor time it took so far.</summary>
    public TimeSpan Cpu => ProcessFigures.Of(Id).Cpu;

    /// <summary>Starts this program.</summary>
    /// <param name="processors">The processors it is kept on.</param>
    /// <param name="endpoints">How many lines it says where it listens.</param>
    /// <param name="arguments">Its arguments.</param>
    public static Child StartSelf(int[] processors, int endpoints, params string[] arguments) =>
        Start(processors, endpoints, OwnProcess.StartInfo([.. arguments, WithParent]));

    /// <summary>Starts a program and waits until it listens.</summary>
    /// <param name="processors">The processors it is kept on.</param>
    /// <param name="endpoints">How many lines it says where it listens; with 0, nothing that it says is of interest.</param>
    /// <param name="program">The program.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public static Child StartOther(int[] processors, int endpoints, string program, params string[] arguments) =>
        Start(processors, endpoints, new ProcessStartInfo(Shell,
            ["-c", endpoints == 0 ? Watched + " >/dev/null 2>&1" : Watched, "sh", program, .. arguments])
        {
            RedirectStandardOutput = true, RedirectStandardInput = true,
        });

    private static Child Start(int[] processors, int endpoints, ProcessStartInfo start)
    {
        byte[] before = Processors.Pin(processors);
        Process process;
        lock (s_running)
        {
            try
            {
                process = s_isEnding ? throw new InvalidOperationException("The program ends.") : Process.Start(start)!;
            }
            finally
            {
                Processors.Restore(before);
            }

            s_running.Add(new Child(process));
        }

        List<IPEndPoint> found = [];
        while (found.Count < endpoints && process.StandardOutput.ReadLine() is { } line)
        {
            if (line.StartsWith(Listening, StringComparison.Ordinal))
            {
                Uri uri = new(line[Listening.Length..]);
                found.Add(new IPEndPoint(IPAddress.Parse(uri.Host), uri.Port));
            }
        }

        Child child = new(process) { Endpoints = found };
        if (found.Count < endpoints)
        {
            child.Dispose();
            string shown = start.FileName == Shell
                ? string.Join(' ', start.ArgumentList.Skip(WordsOfShell))
                : $"{start.FileName} {string.Join(' ', start.ArgumentList)}";
            throw new InvalidOperationException($"'{shown}' did not start.");
        }

        return child;
    }

    /// <summary>Ends all that run; none is started any more.</summary>
    public static void KillAll()
    {
        lock (s_running)
        {
            s_isEnding = true;
            foreach (Child child in s_running)
            {
                child.Kill();
            }
        }
    }

    /// <summary>Has this program end when the one that started it does, if that was asked for.</summary>
    public static void EndWithParent(Arguments arguments)
    {
        if (arguments.Has(WithParent))
        {
            new Thread(() =>
            {
                Console.In.ReadToEnd();
                Environment.Exit(0);
            })
            { IsBackground = true }.Start();
        }
    }

    /// <summary>Gives it a line and takes the next one that it says.</summary>
    /// <exception cref="InvalidOperationException">It has ended.</exception>
    public string Ask(string line)
    {
        _process.StandardInput.WriteLine(line);
        return _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"Process {Id} ended.");
    }

    public void Dispose()
    {
        lock (s_running)
        {
            Kill();
            _process.WaitForExit();
            s_running.RemoveAll(child => child._process == _process);
        }

        _process.Dispose();
    }

    private void Kill()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }
    }
}
