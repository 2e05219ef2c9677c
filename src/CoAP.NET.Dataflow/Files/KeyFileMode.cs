namespace CoAP.NET.Files;

/// <summary>Checks the permissions of files with secret keys, on systems with Unix permissions.</summary>
internal static class KeyFileMode
{
    // The group may read: services get keys through it.
    private const UnixFileMode TooOpen = UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.GroupWrite;

    // In a directory of aiocoap.
    private const string SecretOfDirectory = "secret.json";

    /// <summary>Returns the file with the keys: a file itself, and that in a directory of aiocoap.</summary>
    public static string FileOf(string path) => Directory.Exists(path) ? Path.Join(path, SecretOfDirectory) : path;

    /// <summary>Finds a problem with the permissions of a file.</summary>
    /// <returns>
    /// The problem and the remedy, as a sentence that begins in lower case; null for none, or if the file does not exist.
    /// </returns>
    public static string? ProblemOf(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        try
        {
            return File.Exists(path) && (File.GetUnixFileMode(path) & TooOpen) != 0
                ? "all users of this machine can read its keys, or other users can change it. Run: chmod 600 on the file."
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The reader of the file reports the error.
            return null;
        }
    }
}
