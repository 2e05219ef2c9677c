namespace CoAP.NET;

/// <summary>A source of items that can be told to bring no more for a while: a connection, of which nothing is dropped. Calls nest and may come from any thread.</summary>
internal interface IPausable
{
    void PauseReading();

    void ResumeReading();
}
