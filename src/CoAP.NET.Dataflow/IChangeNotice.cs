namespace CoAP.NET;

/// <summary>Tells those who keep observers that resources changed. Any thread may call; nothing throws, waits for observers or runs handlers.</summary>
internal interface IChangeNotice
{
    /// <summary>Everything that a route serves may have changed.</summary>
    void Changed(ObservedRoute route);

    /// <summary>The resource of a path may have changed.</summary>
    void Changed(string path);

    /// <summary>A route was removed: its observers are told 4.04 and forgotten.</summary>
    void Gone(ObservedRoute route);
}
