namespace CoAP.NET;

/// <summary>Who may read and change files of secret keys, on systems whose files have such permissions.</summary>
internal static class KeyFileMode
{
    // The group may read: services get keys by it.
    private const UnixFileMode TooOpen = UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.GroupWrite;

    /// <summary>Says what is wrong with the permissions of a file.</summary>
    /// <param name="path">The file.</param>
    /// <returns>What is wrong and what to do, as a sentence that begins in lower case; null where nothing is, or there is no such
    /// file.</returns>
    public static string? ProblemOf(string path)
    {
        if (OperatingSystem.IsWindows())
        {
            return null;
        }

        try
        {
            return File.Exists(path) && (File.GetUnixFileMode(path) & TooOpen) != 0
                ? "everybody on this machine can read the keys in it, or others can change it. Run: chmod 600 on the file."
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Whoever reads it is told.
            return null;
        }
    }
}
