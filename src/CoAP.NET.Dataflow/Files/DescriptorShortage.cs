using System.Net.Sockets;

namespace CoAP.NET.Files;

/// <summary>Recognizes that a file or socket could not be opened because no descriptor is left.</summary>
internal static class DescriptorShortage
{
    /// <summary>The error number ENFILE of Linux and macOS: the machine has no descriptor left.</summary>
    public const int AllOfTheMachine = 23;

    /// <summary>The error number EMFILE of Linux and macOS: the process has no descriptor left.</summary>
    public const int AllOfTheProcess = 24;

    // The code that exceptions of files have on Windows. On other systems it is the error number.
    private const int TooManyOpenFilesOnWindows = unchecked((int)0x80070004);

    /// <summary>Returns whether an exception, or a cause of it, is such a shortage.</summary>
    public static bool IsCauseOf(Exception exception)
    {
        for (Exception? cause = exception; cause is not null; cause = cause.InnerException)
        {
            if (cause is SocketException { SocketErrorCode: SocketError.TooManyOpenSockets }
                || (cause is IOException && IsShortage(cause.HResult)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether an error number of the system is such a shortage.</summary>
    public static bool IsShortage(int error) =>
        OperatingSystem.IsWindows() ? error == TooManyOpenFilesOnWindows : error is AllOfTheMachine or AllOfTheProcess;
}
