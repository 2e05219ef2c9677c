#pragma warning disable RS0030 // shrinking has a limit in real time
using System.Diagnostics;
using CoAP.NET.Simulation.Overload;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Makes a failing input as small as it can be while the same oracle fires.</summary>
internal static class FuzzShrinker
{
    private const int MaxTries = 4000;

    /// <summary>How long shrinking may take.</summary>
    public static TimeSpan Limit { get; set; } = TimeSpan.FromSeconds(20);

    // How often something must be too slow or take too much memory before it is believed: the runtime compiles and initializes, and others
    // use the machine.
    private const int Doubts = 4;

    /// <summary>Sees whether a failure comes again, and shrinks the input if so.</summary>
    /// <param name="target">The target.</param>
    /// <param name="inputs">The input; those that ran before it too, where it may have needed them.</param>
    /// <param name="exception">What it threw.</param>
    /// <returns>The finding; null when it was a matter of time or memory and did not come again.</returns>
    public static FuzzFinding? Confirm(FuzzTarget target, IReadOnlyList<byte[]> inputs, Exception exception)
    {
        string oracle = NameOf(exception);
        Reset(target);
        if (oracle is "time" or "memory" && !Enumerable.Range(0, Doubts).All(_ => Throws(target, inputs, oracle) is not null))
        {
            return null;
        }

        if (Throws(target, inputs, oracle) is null)
        {
            return new FuzzFinding(target.Name, oracle, $"{Describe(exception)} (it did not come again when it was run anew)", inputs);
        }

        Effort effort = new();
        List<byte[]> small = inputs.Count > 1 && Throws(target, [inputs[^1]], oracle) is not null ? [inputs[^1]] : [.. inputs];
        small = Leave(small, less => effort.IsLeft && Throws(target, less, oracle) is not null);
        for (int i = 0; i < small.Count; i++)
        {
            int at = i;
            byte[][] With(byte[] input) => [.. small[..at], input, .. small[(at + 1)..]];
            bool Fails(byte[] input) => effort.IsLeft && Throws(target, With(input), oracle) is not null;
            List<byte[]> parts = [.. target.PartsOf(small[i]).Select(part => small[at][part])];
            if (parts.Count > 1)
            {
                small[i] = [.. Leave(parts, less => Fails([.. less.SelectMany(part => part)])).SelectMany(part => part)];
            }

            small[i] = [.. Leave([.. small[i]], less => Fails([.. less]))];
        }

        return new FuzzFinding(target.Name, oracle, Describe(Throws(target, small, oracle) ?? exception), small);
    }

    /// <summary>The name by which a failure is known again.</summary>
    public static string NameOf(Exception exception) =>
        exception is FuzzFailureException failure ? failure.Oracle : exception.GetType().Name;

    // Leaves out what can be left out: halves first, then ever smaller parts.
    private static List<T> Leave<T>(List<T> all, Func<List<T>, bool> fails)
    {
        for (int share = Math.Max(1, all.Count / 2); all.Count > 0; share = Math.Max(1, share / 2))
        {
            bool isSmaller = false;
            for (int at = 0; at < all.Count;)
            {
                List<T> less = [.. all[..at], .. all[Math.Min(all.Count, at + share)..]];
                if (fails(less))
                {
                    all = less;
                    isSmaller = true;
                }
                else
                {
                    at += share;
                }
            }

            if (share == 1 && !isSmaller)
            {
                break;
            }
        }

        return all;
    }

    // What this thread took of the processor, where the system tells it: for how long others kept it from it says nothing of the input.
    private static TimeSpan Now => OperatingSystem.IsLinux() ? ThreadTime.Now : Stopwatch.GetElapsedTime(0);

    private static Exception? Throws(FuzzTarget target, IReadOnlyList<byte[]> inputs, string oracle)
    {
        Exception? thrown = null;
        TimeSpan began = Now;
        try
        {
            foreach (byte[] input in inputs)
            {
                target.Run(input);
            }

            target.Settle();
            double took = (Now - began).TotalMilliseconds;
            if (took > (long)target.MaxMilliseconds * Math.Max(1, inputs.Count))
            {
                thrown = new FuzzFailureException("time", $"It took {took:N0} ms.");
            }
        }
        // Whatever is thrown is looked at.
        catch (Exception exception)
        {
            thrown = exception;
            Reset(target);
        }

        return thrown is not null && NameOf(thrown) == oracle ? thrown : null;
    }

    private static void Reset(FuzzTarget target)
    {
        try
        {
            target.Settle();
        }
        // The failure is known already.
        catch (Exception)
        {
        }
    }

    private static string Describe(Exception exception) => exception is FuzzFailureException
        ? exception.Message
        : $"{exception.GetType().Name}: {exception.Message} {exception.StackTrace?.Split('\n').FirstOrDefault()?.Trim()}";

    private sealed class Effort
    {
        private readonly long _began = Stopwatch.GetTimestamp();
        private int _tries;

        public bool IsLeft => ++_tries < MaxTries && Stopwatch.GetElapsedTime(_began) < Limit;
    }
}
