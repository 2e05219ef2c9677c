using CoAP.NET.Speed.Engines;

namespace CoAP.NET.Speed.SlowSenders;

/// <summary>Many observers of one resource, of which one stops reading: what the others get before and after.</summary>
/// <param name="observers">How many.</param>
/// <param name="rate">Changes a second.</param>
/// <param name="seconds">How long each is measured.</param>
internal sealed class StalledObserver(int observers, int rate, int seconds)
{
    private const double Goal = 0.98;

    /// <summary>Measures and prints a table.</summary>
    /// <returns>Whether the others get nearly all they got before, with every engine but the blocking one, of which nobody expects
    /// it.</returns>
    public bool Run(string[] engines)
    {
        Console.WriteLine(
            $"{observers} observers, {rate} changes a second, {seconds} s; then one stops reading, with answers of 16 MiB on their way to "
                + "it.\n");
        Console.WriteLine(
            "| engine | notifications for each change and observer, before | after | ratio | server's processor time a second, before | "
                + "after |");
        Console.WriteLine("|---|---|---|---|---|---|");
        bool isRight = true;
        foreach (string engine in engines)
        {
            using ServerProcess server = ServerProcess.Start(engine);
            using ObserverLoop loop = new(server.Endpoint);
            loop.Open(observers, 0);
            loop.Register();
            loop.Run(1, rate, () => server.Figures.Cpu);
            (double before, TimeSpan cpuBefore) = loop.Run(seconds, rate, () => server.Figures.Cpu);
            loop.StallOne();
            loop.Run(1, rate, () => server.Figures.Cpu);
            (double after, TimeSpan cpuAfter) = loop.Run(seconds, rate, () => server.Figures.Cpu);
            double ratio = after / before;
            isRight &= ratio >= Goal || engine == "blocking";
            Console.WriteLine(
                $"| {engine} | {before:0.000} | {after:0.000} | {ratio:0.000} | {cpuBefore.TotalMilliseconds:0} ms "
                    + $"| {cpuAfter.TotalMilliseconds:0} ms |");
        }

        return isRight;
    }
}
