using System.Diagnostics;

namespace CoAP.NET.Interop.Tests;

public class PeerProcessTests
{
    [Fact]
    [External("sh")]
    public async Task Both_outputs_and_the_exit_status_are_captured()
    {
        await using PeerProcess process = PeerProcess.Start("sh", "-c", "echo out; echo 'größer' >&2; echo more; exit 3");
        PeerResult result = await process.WaitForExitAsync();
        Assert.Equal(3, result.ExitCode);
        Assert.Equal("out\nmore", result.Output);
        Assert.Equal("größer", result.Errors);
    }

    [Fact]
    [External("sh")]
    public async Task A_line_can_be_awaited_before_and_after_its_output()
    {
        await using PeerProcess process = PeerProcess.Start("sh", "-c", "echo ready; exec sleep 1000");
        Assert.Equal("ready", await process.WaitForLineAsync(line => line == "ready"));
        Assert.Equal("ready", await process.WaitForLineAsync(line => line.StartsWith('r')));
        Assert.False(process.HasExited);
    }

    [Fact]
    [External("sh")]
    public async Task Waiting_for_a_line_fails_when_the_program_ends_without_printing_that_line()
    {
        await using PeerProcess process = PeerProcess.Start("sh", "-c", "echo other");
        InvalidOperationException error =
            await Assert.ThrowsAsync<InvalidOperationException>(() => process.WaitForLineAsync(line => line == "ready"));
        error.Message.Mentions("ended without the line");
        error.Message.Mentions("other");
    }

    [Fact]
    [External("cat")]
    public async Task A_program_that_is_typed_to_may_write_any_octets()
    {
        byte[] octets = [.. Enumerable.Range(0, 256).Select(static i => (byte)i), (byte)'\r', (byte)'\n'];
        await using PeerProcess process = PeerProcess.StartTalking("cat");
        await process.WriteAsync(octets);
        await process.WaitForLinesAsync(static _ => true, 2);
        process.EndInput();
        Assert.Equal(octets, Encoding.Latin1.GetBytes((await process.WaitForExitAsync()).Output + "\n"));
    }

    [Fact]
    [External("sh", "sleep")]
    public async Task Disposing_the_process_ends_the_program_and_its_children()
    {
        PeerProcess process = PeerProcess.Start("sh", "-c", "sleep 1000 & echo child $!; wait");
        string line = await process.WaitForLineAsync(line => line.StartsWith("child ", Ordinal));
        using Process child = Process.GetProcessById(int.Parse(line[6..]));

        await process.DisposeAsync();

        await child.WaitForExitAsync().WaitAsync(PeerProcess.HangLimit);
        Assert.True(child.HasExited);
    }

    [Fact]
    public void The_error_for_a_missing_program_names_the_program()
    {
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => PeerProcess.Start("no-such-coap-peer"));
        error.Message.Mentions("no-such-coap-peer cannot be found");
    }
}
