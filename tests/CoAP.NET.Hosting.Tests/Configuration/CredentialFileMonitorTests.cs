using CoAP.NET.Diagnostics;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>The checks of the files of several credentials.</summary>
public sealed class CredentialFileMonitorTests : HostTest
{
    [Fact]
    public async Task A_file_with_an_unexpected_problem_does_not_end_the_checks_of_the_others()
    {
        TickingTime time = new();
        await using CoapServer server = new();
        Credentials broken = new(new InvalidOperationException("unexpected"));
        Credentials good = new(null);
        CredentialFileMonitor monitor = new([broken, good], server.Endpoint, "The CoAP server", time);
        await using (monitor)
        {
            time.Tick();
            time.Tick();
            Assert.Equal((2, 2), (good.Looks, good.Taken));
            Assert.Equal((2, 0), (broken.Looks, broken.Taken));
            Assert.Equal(["unexpected", "unexpected"], broken.Problems);
            Assert.Equal(2, server.Counters[CoapCounter.CredentialsNotReloaded]);
        }
    }

    private sealed class Credentials(Exception? problem) : WatchedCredentials
    {
        public int Looks { get; private set; }

        public int Taken { get; private set; }

        public List<string> Problems { get; } = [];

        public override ValueTask<bool> RefreshAsync(DateTimeOffset now)
        {
            Looks++;
            return problem is null ? new ValueTask<bool>(true) : throw problem;
        }

        public override void LogTaken(ILogger logger, string title, int ended) => Taken++;

        public override void LogNotTaken(ILogger logger, string title, string problem) => Problems.Add(problem);
    }
}
