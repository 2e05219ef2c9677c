using CoAP.NET.Files;

namespace CoAP.NET.CredentialFiles;

/// <summary>A file that is checked periodically for changes. For one caller at a time.</summary>
/// <param name="path">The file.</param>
/// <param name="stamp">The state of the file before it was read.</param>
internal sealed class ChangingFile(string path, FileStamp stamp)
{
    /// <summary>The time between two checks. A change takes effect after at most two of them.</summary>
    public static readonly TimeSpan Period = TimeSpan.FromSeconds(2);

    private FileStamp _taken = stamp;
    private FileStamp _seen = stamp;

    /// <summary>Whether the last two checks saw the same state; otherwise a writer may not be done.</summary>
    public bool IsSettled => _seen == _taken;

    /// <summary>
    /// Checks for a change: true once for each change, when two checks see the same state, because a writer may not be done.
    /// </summary>
    public bool Look()
    {
        FileStamp now = FileStamp.Of(path);
        if (now != _seen)
        {
            _seen = now;
            return false;
        }

        bool isNew = now != _taken;
        _taken = now;
        return isNew;
    }
}
