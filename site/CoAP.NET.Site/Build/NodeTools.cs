using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace CoAP.NET.Site.Build;

/// <summary>Runs Node.js and npm in a folder.</summary>
/// <param name="folder">The folder of <c>package.json</c>.</param>
internal sealed class NodeTools(string folder)
{
    private const int MinimumVersion = 18;

    private const string Install = "Install Node.js 18 or later with npm, such as by \"apt-get install nodejs npm\".";

    /// <summary>Checks that both are there.</summary>
    /// <exception cref="InvalidOperationException">One is absent or too old.</exception>
    public static void Check()
    {
        string version = Output("node", "--version");
        if (!int.TryParse(version.TrimStart('v').Split('.')[0], CultureInfo.InvariantCulture, out int major) || major < MinimumVersion)
        {
            throw new InvalidOperationException($"The version of Node.js is {version}, which is too old. {Install}");
        }

        _ = Output("npm", "--version");
    }

    /// <summary>Runs a program and shows what it prints.</summary>
    /// <param name="program">The program.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <exception cref="InvalidOperationException">It failed or is absent.</exception>
    public void Run(string program, params string[] arguments)
    {
        using Process process = Start(new ProcessStartInfo(program, arguments) { WorkingDirectory = folder });
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException(
                $"\"{program} {string.Join(' ', arguments)}\" ended with {process.ExitCode}. Read what it says above.");
        }
    }

    private static string Output(string program, string argument)
    {
        using Process process = Start(new ProcessStartInfo(program, [argument]) { RedirectStandardOutput = true });
        string output = process.StandardOutput.ReadToEnd().Trim();
        process.WaitForExit();
        return output;
    }

    private static Process Start(ProcessStartInfo start)
    {
        try
        {
            // On Windows npm is a script, which only a shell starts.
            if (OperatingSystem.IsWindows() && start.FileName == "npm")
            {
                start.FileName = "npm.cmd";
            }

            return Process.Start(start)!;
        }
        catch (Win32Exception)
        {
            throw new InvalidOperationException($"\"{start.FileName}\" was not found. {Install}");
        }
    }
}
