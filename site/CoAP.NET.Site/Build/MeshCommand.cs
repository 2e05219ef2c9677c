using System.Diagnostics;

namespace CoAP.NET.Site.Build;

/// <summary>
/// Draws <c>docs/images/mesh.svg</c> again. A test draws it, because only tests see the wiring of a shard; without this command the test
/// fails when the picture is stale.
/// </summary>
internal static class MeshCommand
{
    /// <summary>Runs the test that draws.</summary>
    /// <returns>0, or what the test ended with.</returns>
    public static int Run()
    {
        ProcessStartInfo start = new(
            "dotnet", ["test", "-c", "Release", "--project", "tests/CoAP.NET.Tests", "--filter-class", "*MeshPictureTests"])
        {
            WorkingDirectory = Repository.Root,
        };
        start.Environment["COAP_MESH_PICTURE"] = "write";
        using Process process = Process.Start(start)!;
        process.WaitForExit();
        return process.ExitCode;
    }
}
