namespace CoAP.NET.Interop.Tests;

public class SampleServerTests
{
    [Fact]
    [External("sh")]
    public async Task The_address_is_read_from_the_output_of_the_server()
    {
        await using SampleServer server = await SampleServer.StartAsync(
            PeerProcess.Start("sh", "-c",
                "echo starting; echo 'info: listening on coap://127.0.0.1:41234'; echo 'listening on coap+tcp://127.0.0.1:41235'; exec "
                    + "sleep 1000"));
        Assert.Equal(new Uri("coap://127.0.0.1:41234"), server.Uri);
    }

    [Fact]
    [External("sh")]
    public async Task A_server_that_ends_before_it_listens_is_reported()
    {
        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => SampleServer.StartAsync(PeerProcess.Start("sh", "-c", "echo address in use >&2; exit 1")));
        error.Message.Mentions("address in use");
    }

    [Fact]
    public void The_repository_is_found_from_where_the_tests_run()
    {
        Assert.True(File.Exists(Path.Combine(Repository.Root, "CoAP.NET.sln")));
        Assert.Contains(BuiltProgram.Configuration, new[] { "Debug", "Release" });
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => BuiltProgram.ProgramOf("samples/NoSuchSample"));
        error.Message.Mentions("Build it first");
    }
}
