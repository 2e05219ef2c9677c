namespace CoAP.NET.Bench;

/// <summary>The first line of a report: when, where and how its figures were made.</summary>
internal static class ReportHead
{
    /// <summary>Makes the line.</summary>
    /// <param name="project">The project of the program, from the root of the repository.</param>
    /// <param name="args">The program's command line.</param>
    /// <param name="date">The day.</param>
    /// <returns>A line of Markdown, without its end.</returns>
    public static string Of(string project, IEnumerable<string> args, DateTimeOffset date) =>
        $"{date:yyyy-MM-dd}, {Environment.ProcessorCount} processors, .NET {Environment.Version}: "
            + $"`dotnet run -c Release --project {project} -- {string.Join(' ', args)}`";
}
