namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Finds what was built beside the tests.</summary>
internal static class BuiltProgram
{
    /// <summary>Debug or Release, as these tests were built.</summary>
    public static string Configuration { get; } =
    new DirectoryInfo(AppContext.BaseDirectory.TrimEnd(Path.DirectorySeparatorChar)).Parent!.Name;

    /// <summary>The assembly of a project that is a program, built in the configuration of these tests.</summary>
    /// <param name="project">The directory of the project, such as <c>samples/Server</c>.</param>
    /// <exception cref="InvalidOperationException">It is not built.</exception>
    public static string ProgramOf(string project)
    {
        string output = Path.Combine(Repository.Root, project, "bin", Configuration);
        string[] found = Directory.Exists(output) ? Directory.GetFiles(output, "*.runtimeconfig.json", SearchOption.AllDirectories) : [];
        return found.Length == 1
            ? found[0].Replace(".runtimeconfig.json", ".dll")
            : throw new InvalidOperationException(
                $"{found.Length} programs were found in '{project}' for {Configuration}. Build it first: dotnet build "
                    + $"-c {Configuration} {project}");
    }
}
