namespace CoAP.NET;

/// <summary>Tells those who keep observers that resources changed. Any thread may call; nothing throws, waits for observers or runs handlers.</summary>
internal interface IChangeNotice
{
    /// <summary>Everything that a route serves may have changed.</summary>
    void Changed(ObservedRoute route);

    /// <summary>The resource of a path may have changed.</summary>
    /// <returns>How many observe it.</returns>
    int Changed(string path);

    /// <summary>How many observe a path.</summary>
    int CountAt(string path);

    /// <summary>A change was told of what cannot have observers: a mistake in the program, which is logged now and then.</summary>
    /// <param name="path">The path or template.</param>
    /// <param name="isServed">Whether there is a route at all.</param>
    void ReachesNobody(string path, bool isServed);

    /// <summary>A route was removed: its observers are told 4.04 and forgotten.</summary>
    void Gone(ObservedRoute route);
}
