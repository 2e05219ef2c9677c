namespace CoAP.NET.Tests.Shared;

/// <summary>Where the repository is that these tests were built in.</summary>
internal static class Repository
{
    public static string Root { get; } = Find();

    private static string Find()
    {
        for (DirectoryInfo? directory = new(AppContext.BaseDirectory); directory is not null; directory = directory.Parent)
        {
            if (File.Exists(Path.Combine(directory.FullName, "CoAP.NET.sln")))
            {
                return directory.FullName;
            }
        }

        throw new InvalidOperationException("The tests do not run from within the repository.");
    }
}
